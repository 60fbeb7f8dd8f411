"""What was saved comes back as it was, with what it is of; what cannot be used is named."""

import io
import json
import resource
import struct
import zipfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.storage import archives

nan, inf = np.nan, np.inf


def house():
    climb, rest = np.eye(3)[[1, 2, 2]], np.eye(3)
    return fo.MDP(
        np.stack([climb, rest], axis=1),
        np.arange(18.0).reshape(3, 2, 3),
        np.array([0.0, 1.0, 0.0]),
        state_names=["hall", "Küche", "attic"],
        action_names=["climb", "rest"],
    )


def skills(**options):
    world = house()
    return fo.occupancies(world, fo.constant_policies(world), discount=0.5, **options)


THINGS = {
    "a world": house,
    "a world without names": lambda: house().unnamed(),
    "FRs": skills,
    "SRs": lambda: skills(representation=fo.successor, policy_names=["up", "still"]),
    "in between": lambda: skills(representation=fo.LambdaRepresentation(0.5)),
    "bare FRs": lambda: fo.Occupancies(np.eye(2, dtype=np.float32)[None], discount=0.9),
    "a plan": lambda: fo.plan_to_goal(skills(), 2),
    "plans": lambda: fo.plan_to_every_goal(skills()),
}


@pytest.mark.parametrize("name", THINGS)
def test_things_come_back_as_they_were(tmp_path, name):
    thing, path = THINGS[name](), tmp_path / "thing.npz"
    fo.save(thing, path)
    loaded = fo.load(str(path), type(thing))
    assert jax.tree.structure(loaded) == jax.tree.structure(thing)
    for here, there in zip(jax.tree.leaves(thing), jax.tree.leaves(loaded), strict=True):
        np.testing.assert_array_equal(there, here)
        assert there.dtype == here.dtype
    first = path.read_bytes()
    fo.save(loaded, path)
    assert path.read_bytes() == first


@pytest.mark.usefixtures("as_users_run_it")
def test_a_decay_may_be_a_number_of_numpys_as_a_discount_may():
    between = fo.LambdaRepresentation(np.float32(0.25))
    kept = fo.Occupancies(np.eye(2)[None], discount=np.float32(0.5), representation=between)
    assert (kept.discount, kept.representation) == (0.5, fo.LambdaRepresentation(0.25))


def test_loaded_frs_are_planned_with_without_remembering_anything(tmp_path):
    fo.save(skills(), tmp_path / "skills.npz")
    loaded = fo.load(tmp_path / "skills.npz")
    assert (loaded.discount, loaded.representation) == (0.5, fo.first_occupancy)
    plan = fo.plan_to_goal(loaded, loaded.state_names.number_of("attic"))
    assert [str(leg) for leg in fo.unroll(plan, 0)] == ["climb until attic"]
    with pytest.raises(fo.InputError, match="plan_to_goal: frs must be first-occupancy, got succ"):
        fo.plan_to_goal(skills(representation=fo.successor), 2)


def test_what_is_known_of_occupancies_follows_the_world():
    frs = skills()
    assert frs.policy_names == ("climb", "rest")
    np.testing.assert_array_equal(frs.values[0, 0], [1, 0.5, 0.25])
    between = skills(representation=fo.LambdaRepresentation(0.5))
    assert between.representation == fo.LambdaRepresentation(0.5)
    assert skills(representation=fo.successor).representation == fo.successor


def test_in_single_precision_numbers_come_back_in_it(tmp_path):
    fo.save(house(), tmp_path / "world.npz")
    with jax.enable_x64(False):
        assert fo.load(tmp_path / "world.npz").transition.dtype == jnp.float32


def test_numpy_reads_the_file_and_nothing_in_it_runs(tmp_path):
    fo.save(house(), tmp_path / "world.npz")
    with np.load(tmp_path / "world.npz", allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["transition"], house().transition)
        assert json.loads(str(archive["facts"]))["state_names"][1] == "Küche"


def altered(path: Path, *, facts=None, **arrays):
    """Write the same file with some of its facts or arrays changed; None takes one out."""
    archive = archives.read(path)
    kept = {k: a for k, a in (archive.arrays | arrays).items() if a is not None}
    archives.write(path, kept, facts=archive.facts | (facts or {}))


WORLDS = {
    "another version": ({"facts": {"format": 1}}, "{path}: must be of format 2, got 1"),
    "another library": (
        {"facts": {"library": "x"}},
        "{path}: must be a file that was saved as such, but holds other arrays",
    ),
    "another kind": (
        {"facts": {"kind": "cake"}},
        "{path}: must hold one of mdp, occupancies, plan, got 'cake'",
    ),
    "of another kind's arrays": ({"facts": {"kind": "plan"}}, "{path}: "),
    "an array missing": ({"start_distribution": None}, "{path}: lacks start_distribution"),
    "an array too many": ({"more": np.ones(2)}, "{path}: must not have more"),
    "shapes": (
        {"start_distribution": np.ones(4)},
        "{path}: start_distribution must be real numbers of shape [S] that agrees with the other "
        "arrays, "
        "got float64[4]",
    ),
    "types": (
        {"start_distribution": np.ones(3, int)},
        "{path}: start_distribution must be real numbers of shape [S] that agrees with the other "
        "arrays, "
        "got int64[3]",
    ),
    "long numbers": (
        {"start_distribution": np.ones(3, np.longdouble)},
        "{path}: start_distribution must be real numbers of shape [S] that agrees with the other "
        "arrays, "
        "got float128[3]",
    ),
    "nothing": (
        {"start_distribution": np.ones(0)},
        "{path}: start_distribution must be real numbers of shape [S] that agrees with the other "
        "arrays, "
        "got float64[0]",
    ),
    "NaN": (
        {"start_distribution": np.array([nan, 0, 1])},
        "{path}: MDP: start_distribution is not finite (has nan)",
    ),
    "infinite rewards": (
        {"reward": np.full((3, 2, 3), inf)},
        "{path}: MDP: reward must be finite everywhere, got NaN or infinity",
    ),
    "names": (
        {"facts": {"state_names": ["a", "b"]}},
        "{path}: MDP: state_names must be 3 names, got 2",
    ),
    "no names": (
        {"facts": {"state_names": 7}},
        "{path}: MDP: state_names must be a sequence of strings, got <class 'int'>",
    ),
}
FRS = {
    "NaN": (
        {"values": np.full((2, 3, 3), nan)},
        "{path}: Occupancies: values must hold expected discounts in [0, 1], got nan to nan",
    ),
    "discount": (
        {"facts": {"discount": "much"}},
        "{path}: Occupancies: discount must be at least 0 and below 1, got 'much'",
    ),
    "decay": (
        {"facts": {"representation": "lambda_representation", "parameters": {"decay": "x"}}},
        "{path}: LambdaRepresentation: decay must be at least 0 and at most 1, got 'x'",
    ),
    "no decay": (
        {"facts": {"representation": "lambda_representation"}},
        "{path}: lambda_representation: takes other parameters, got none",
    ),
    "a decay too many": (
        {"facts": {"representation": "successor", "parameters": {"decay": 0.5}}},
        "{path}: successor: takes other parameters, got decay",
    ),
    "representation": (
        {"facts": {"representation": []}},
        "{path}: representation must be a name, and its parameters an object",
    ),
    "unknown representation": (
        {"facts": {"representation": "third_occupancy"}},
        "{path}: representation must be one of first_occupancy, lambda_representation, "
        "successor, got 'third_occupancy'",
    ),
    "no policies": (
        {"policies": np.zeros((2, 3, 2))},
        "{path}: Occupancies: policies at policy 0 'climb', state 0 'hall' does not sum to one "
        "(sums to 0)",
    ),
}
PLANS = {
    "goal": ({"goal": np.array(3)}, "{path}: goal must be numbers from 0 to 2"),
    "policy": ({"policy": np.array([-2, 0, 0])}, "{path}: policy must be numbers from -1 to 2147"),
    "subgoal": ({"subgoal": np.array([3, 0, 0])}, "{path}: subgoal must be numbers from -1 to 2"),
    "log discount": (
        {"log_discount": np.array([nan, 0, 0])},
        "{path}: log_discount must be numbers from -inf to 1e-05",
    ),
    "names": (
        {"facts": {"policy_names": []}},
        "{path}: Plan.named: policies must be at least 1 names, since the plan follows policy 0",
    ),
}
CHANGES = [
    (thing, *changes[name])
    for thing, changes in (("a world", WORLDS), ("FRs", FRS), ("a plan", PLANS))
    for name in changes
]


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(("thing", "change", "message"), CHANGES)
def test_files_that_hold_what_cannot_be_are_named(tmp_path, thing, change, message):
    path = tmp_path / "thing.npz"
    fo.save(THINGS[thing](), path)
    altered(path, **change)
    with pytest.raises(fo.InputError) as caught:
        fo.load(path)
    assert str(caught.value).startswith(message.format(path=path))


def archive_of(header: bytes, content: bytes = b"", *, name="facts.npy", way=zipfile.ZIP_STORED):
    """Return an archive with one array of a header and content of one's choice."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", way) as archive:
        whole = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content
        archive.writestr(name, whole)
    return file.getvalue()


def test_an_archive_of_someone_elses_is_told_from_a_damaged_one(tmp_path):
    np.savez(tmp_path / "thing.npz", weights=np.eye(2))
    with pytest.raises(fo.InputError, match="must be a file that was saved as such, but holds"):
        fo.load(tmp_path / "thing.npz")


def header(descr: str, shape: str) -> bytes:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()


NOT_OURS = {
    "empty": b"",
    "text": b"S..G\n",
    "an array": b"\x93NUMPY\x01\x00",
    "terabytes": archive_of(header("'<f8'", "(999999, 999999)"), bytes(64)),
    "more than there are numbers": archive_of(header("'<f8'", f"({10**17}, {10**17})")),
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
    assert str(caught.value) == f"{path}: is damaged, cut off or no archive of arrays"


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


def test_another_thing_than_expected_is_named(tmp_path):
    fo.save(house(), tmp_path / "thing.npz")
    with pytest.raises(fo.InputError) as caught:
        fo.load(tmp_path / "thing.npz", fo.Plan)
    assert str(caught.value) == f"load: {tmp_path}/thing.npz must hold Plan, got MDP"


@pytest.mark.usefixtures("as_users_run_it")
def test_only_known_things_are_saved(tmp_path):
    with pytest.raises(fo.InputError) as caught:
        fo.save(jnp.eye(2), tmp_path / "thing.npz")
    assert str(caught.value) == (
        "save: the thing to save must be one of MDP, Occupancies, Plan, got ArrayImpl; FRs are "
        "saved as Occupancies(frs, discount=...), mazes as their .mdp"
    )
    with pytest.raises(fo.InputError, match="save: values must be concrete, got traced ones"):
        jax.jit(lambda mdp: fo.save(mdp, tmp_path / "thing.npz"))(house())
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_named_and_leaves_what_was_there(tmp_path):
    path = tmp_path / "thing.npz"
    fo.save(house(), path)
    before = path.read_bytes()
    large = fo.Occupancies(np.eye(200)[None], discount=0.9)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (0, 500, 100_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large") as caught:
                fo.save(large, path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert str(caught.value) == f"[Errno 27] File too large: '{path}'"
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


def test_an_unwritable_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("precious")
    for path, reason in (
        (tmp_path / "file" / "thing.npz", "[Errno 20] Not a directory"),
        (tmp_path / "no" / "thing.npz", "[Errno 2] No such file or directory"),
        (tmp_path, "[Errno 21] Is a directory"),
    ):
        with pytest.raises(OSError, match="Errno") as caught:
            fo.save(house(), path)
        assert str(caught.value) == f"{reason}: '{path}'"
    assert (tmp_path / "file").read_text() == "precious"
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
