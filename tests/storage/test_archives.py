"""Whatever a file or a drawing holds, it is read, or refused by the one documented error.

Files are damaged at random: bits, ends, blocks moved within and between files, the fields of the
archive; and, with sums put right again, headers, facts and numbers, which then reach the checks
behind. FIRST_OCCUPANCY_FUZZ=10 makes ten times as many as the 12,000 of every run.
"""

import io
import os
import struct
import warnings
import zipfile
import zlib
from collections import Counter

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.planning.plan_files import load_plans
from first_occupancy.storage import archives

pytestmark = pytest.mark.usefixtures("as_users_run_it")

SHARE = int(float(os.environ.get("FIRST_OCCUPANCY_FUZZ", "1")) * 2000)
"""Of each of four kinds of files."""


def house():
    climb, rest = np.eye(3)[[1, 2, 2]], np.eye(3)
    return fo.MDP(
        np.stack([climb, rest], axis=1), state_names=[*"abc"], action_names=["up", "stay"]
    )


def frs():
    world = house()
    return fo.occupancies(world, fo.constant_policies(world), discount=0.5)


def use(plan):
    """Follow a plan from everywhere, as far as it leads."""
    for start in range(plan.policy.shape[-1]):
        try:
            plan.legs(start)
        except fo.InputError:
            continue


def load_and_use(path):
    thing = fo.load(path)
    if isinstance(thing, fo.Plan) and thing.goal.ndim == 0:
        use(thing)


def map_and_use(path):
    plans = load_plans(path)
    for goal in plans.goal.tolist():
        use(plans.to(goal))


FILES = {
    "world": (lambda path: fo.save(house(), path), load_and_use),
    "frs": (lambda path: fo.save(frs(), path), load_and_use),
    "plan": (lambda path: fo.save(planning.plan_to_goal(frs(), 2), path), load_and_use),
    "plans": (lambda path: fo.save(planning.plan_to_every_goal(frs()), path), map_and_use),
}


def flip_bits(rng, content, _):
    for place in rng.integers(len(content), size=rng.integers(1, 9)):
        content[place] ^= 1 << int(rng.integers(8))
    return content


def cut(rng, content, _):
    begin, end = np.sort(rng.integers(len(content) + 1, size=2))
    return [content[:end], content[begin:], content[:begin] + content[end:]][rng.integers(3)]


def splice(rng, content, other):
    source = (content, other)[rng.integers(2)]
    begin, length = int(rng.integers(len(source))), int(rng.integers(1, 300))
    place, replaced = int(rng.integers(len(content))), int(rng.integers(2)) * length
    return content[:place] + source[begin : begin + length] + content[place + replaced :]


SIGNATURES = (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07")
NUMBERS = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


def change_a_field(rng, content, _):
    """Overwrite a number in one of the archive's own records."""
    content = bytearray(content)
    mark = SIGNATURES[rng.integers(len(SIGNATURES))]
    places = [p for p in range(len(content)) if content.startswith(mark, p)] or [0]
    place = places[rng.integers(len(places))] + int(rng.integers(4, 46))
    width = int(rng.choice([1, 2, 4, 8]))
    number = NUMBERS[rng.integers(len(NUMBERS))] % 256**width
    content[place : place + width] = number.to_bytes(width, "little")
    return content


PIECES = (b"8", b"9", b"0", b"99999999999", b"-1", b", ", b"(", b")", b"'|O'", b"'<f2'", b"'<i8'")


def change_a_header(rng, content, _):
    """Change what an array says of itself, and put the archive's sums right."""
    content = bytearray(content)
    places = [p for p in range(len(content)) if content.startswith(b"{'descr'", p)]
    begin = places[rng.integers(len(places))]
    for _ in range(rng.integers(1, 4)):
        place, piece = begin + int(rng.integers(5, 70)), PIECES[rng.integers(len(PIECES))]
        content[place : place + len(piece)] = piece
    return with_sums(content)


def with_sums(content):
    """Return the archive with the checksum of each member as it would be, were it meant so."""
    directory = content.rfind(b"PK\x05\x06")
    place = int.from_bytes(content[directory + 16 : directory + 20], "little")
    while content.startswith(b"PK\x01\x02", place):
        size, name, extra = struct.unpack_from("<20xI4xHH", content, place)
        (offset,) = struct.unpack_from("<I", content, place + 42)
        local_name, local_extra = struct.unpack_from("<26xHH", content, offset)
        begin = offset + 30 + local_name + local_extra
        sums = zlib.crc32(content[begin : begin + size])
        struct.pack_into("<I", content, place + 16, sums)
        place += 46 + name + extra
    return content


WORDS = (None, True, -1, 0, 1, 2, 0.5, 1e300, 10**30, "", "a", "plan", "mdp", "occupancies")
WORDS += ("successor", "lambda_representation", "x" * 999, [], {}, ["a", "b", "c"], [1, 2, 3], [[]])
ODD = (np.nan, np.inf, -np.inf, -1, 0, 1, 2, 0.5, 1e300, -1e-300, 2**31, -(2**31))


def change_meaning(rng, path):
    """Write a sound archive of something else: other facts, numbers, types, shapes, names."""
    facts, arrays = archives.read(path)
    for _ in range(rng.integers(1, 4)):
        name = str(rng.choice(list(arrays)))
        match rng.integers(6):
            case 0 | 1:
                facts[str(rng.choice(list(facts)))] = WORDS[rng.integers(len(WORDS))]
            case 2:
                types = [np.float16, np.float32, np.int8, np.int64, np.uint64, np.longdouble]
                types += [bool, complex]
                arrays[name] = arrays[name].astype(types[rng.integers(len(types))])
            case 3:
                shape = rng.integers(0, 4, size=rng.integers(0, 5))
                arrays[name] = np.resize(arrays[name], shape)
            case 4:
                arrays[["more", "policies", name][rng.integers(3)]] = arrays.pop(name)
            case _:
                flat = arrays[name].copy().reshape(-1)
                odd = np.array(ODD[rng.integers(len(ODD))]).astype(flat.dtype)
                flat[rng.random(flat.size) < rng.random()] = odd
                arrays[name] = flat.reshape(arrays[name].shape)
    archives.write(path, arrays, facts=facts)


DAMAGES = (flip_bits, cut, splice, change_a_field, change_a_header)


@pytest.mark.whole
@pytest.mark.parametrize("kind", FILES)
def test_malformed_files_are_read_or_refused(tmp_path, kind):
    path, rng = tmp_path / "thing.npz", np.random.default_rng(len(kind))
    for name, (write, _) in FILES.items():
        write(tmp_path / f"{name}.npz")
    sound = {name: (tmp_path / f"{name}.npz").read_bytes() for name in FILES}
    others = [content for name, content in sound.items() if name != kind]
    ended = Counter()
    for trial in range(SHARE):
        damage = trial % (len(DAMAGES) + 1)
        if damage < len(DAMAGES):
            other = others[rng.integers(len(others))]
            path.write_bytes(DAMAGES[damage](rng, bytearray(sound[kind]), bytearray(other)))
        else:
            path.write_bytes(sound[kind])
            with warnings.catch_warnings(action="ignore"):  # numbers cast to what cannot hold them
                change_meaning(rng, path)
        try:
            FILES[kind][1](path)
        except fo.InputError as error:
            ended["refused", str(path) in str(error)] += 1
        else:
            ended["read"] += 1
    # Some change nothing that is looked at; most must be noticed.
    assert ended["refused", True] > 0.6 * SHARE
    assert ended["refused", False] == 0
    assert ended["read"] > 0


def archive_of(header: bytes, content: bytes = b"", *, name="facts.npy", way=zipfile.ZIP_STORED):
    """Return an archive with one array of a header and content of one's choice."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", way) as archive:
        whole = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content
        archive.writestr(name, whole)
    return file.getvalue()


def header(descr: str, shape: str) -> bytes:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()


NOT_OURS = {
    "empty": b"",
    "text": b"S..G\n",
    "an array": b"\x93NUMPY\x01\x00",
    "terabytes": archive_of(header("'<f8'", "(999999, 999999)"), bytes(64)),
    "more than there are numbers": archive_of(header("'<f8'", f"({10**17}, {10**17})")),
    "no numbers in too much": archive_of(header("'<f8'", f"({10**18 - 1}, 0, {10**18 - 1})")),
    "objects": archive_of(header("'|O'", "(1,)"), b"\x80\x04N."),
    "records": archive_of(header("[('a', '<f8')]", "(1,)"), bytes(8)),
    "code": archive_of(header("__import__('os')", "(1,)"), bytes(8)),
    "a bomb": archive_of(header("'|u1'", "(99999999,)"), bytes(99999999), way=zipfile.ZIP_DEFLATED),
    "no array": archive_of(b"", name="facts.txt"),
    "letters that are none": archive_of(header("'<U1'", "()"), b"\xff\xff\xff\xff"),
    "no JSON": archive_of(header("'<U1'", "()"), "{".encode("utf-32-le")),
    "JSON without end": archive_of(header("'<U9999'", "()"), ("[" * 9999).encode("utf-32-le")),
    "JSON of a number": archive_of(header("'<U1'", "()"), "7".encode("utf-32-le")),
}


@pytest.mark.parametrize("name", NOT_OURS)
def test_files_that_are_not_ours_are_named_before_memory_is_taken(tmp_path, name):
    path = tmp_path / "thing.npz"
    path.write_bytes(NOT_OURS[name])
    with pytest.raises(fo.InputError) as caught:
        fo.load(path)
    assert str(caught.value) == f"{path}: is damaged, truncated or not an archive of arrays"


def test_overlapping_arrays_are_refused(tmp_path):
    content = bytearray(archive_of(header("'|u1'", "(5000,)"), bytes(5000)))
    directory = content.index(b"PK\x01\x02")
    entry, end = content[directory:-22], bytearray(content[-22:])
    other = entry.replace(b"facts.npy", b"facts.npz")
    end[8:12] = struct.pack("<HH", 2, 2)
    end[12:16] = struct.pack("<I", len(entry) + len(other))
    (tmp_path / "thing.npz").write_bytes(content[:-22] + other + end)
    with pytest.raises(fo.InputError, match="is damaged"):
        fo.load(tmp_path / "thing.npz")
