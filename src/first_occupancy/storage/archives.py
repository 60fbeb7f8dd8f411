"""Archives: named arrays and facts in one file, read without trusting anything that it says.

The file is a NumPy archive (.npz) that holds numbers and names only; `numpy.load` reads it too.
Its arrays are stored as they are, one after the other, so they can be mapped into memory, and what
they claim to be is held against the bytes that are there before anything is allocated: an
archive never takes more memory than its file is long. Headers are matched, not evaluated.
"""

import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import whole_file

FACTS = "facts"
"""The name of the plain JSON beside the arrays, which says what they belong to."""

ALIGNMENT = 64
"""Arrays begin at multiples of it, as NumPy and JAX like them."""

_SUFFIX = ".npy"
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_LOCAL_BYTES, _ZIP64_BYTES, _EXTRA_BYTES = 30, 20, 4
_HEADER = re.compile(
    rb"\{'descr': '([<|][biufcU]\d{1,10})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18},? ?)*)\), ?\} *\n"
)
_LONGEST_HEADER = 10_000


class Archive(NamedTuple):
    """What is in a file: facts, and arrays by their names."""

    facts: dict[str, Any]
    arrays: dict[str, np.ndarray]


class _Place(NamedTuple):
    """Where in the file an array is, and what it is."""

    dtype: np.dtype
    shape: tuple[int, ...]
    fortran_order: bool
    header: int
    offset: int
    crc: int


def write(path: Path, arrays: Mapping[str, np.ndarray], *, facts: Mapping[str, Any]) -> None:
    """Write arrays and facts as one whole file, the same bytes for the same content."""
    text = json.dumps(dict(facts), sort_keys=True)
    plain = {FACTS: np.array(text), **{name: np.asarray(a) for name, a in arrays.items()}}
    for array in list(plain.values())[1:]:
        if array.dtype.kind not in "biufc" or array.dtype.type.__module__ != "numpy":
            raise InputError(f"save: arrays must hold NumPy's own numbers, got {array.dtype}")
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in plain.items():
            with archive.open(_entry(name + _SUFFIX, file.tell()), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, _little_endian(array), (1, 0), allow_pickle=False)


def read(path: Path) -> Archive:
    """Return what is in a file, in memory, every byte checked.

    Raises `InputError` if the file is damaged, cut off or something else, and `OSError` if it
    cannot be read at all.
    """
    with _places(path) as (file, places):
        arrays = {name: _read(path, file, place) for name, place in places.items()}
    return _archive(path, arrays)


def read_mapped(path: Path) -> Archive:
    """Return what is in a file, its arrays on disk but for the parts that are looked at.

    As `read`, but only the facts' bytes are checked; of the arrays, that they are all there.
    """
    with _places(path) as (file, places):
        arrays = {name: _mapped(path, place) for name, place in places.items()}
        if FACTS in places:
            arrays[FACTS] = _read(path, file, places[FACTS])
    return _archive(path, arrays)


def _entry(name: str, begin: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # of 1980, so that bytes do not tell the time
    before = begin + _LOCAL_BYTES + len(name.encode()) + _ZIP64_BYTES + _EXTRA_BYTES
    padding = -before % ALIGNMENT
    # A field of an unknown kind, which readers skip, moves the array to where it should begin.
    entry.extra = struct.pack("<HH", 0xF0F0, padding) + bytes(padding)
    return entry


def _little_endian(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def damaged(path: Path) -> InputError:
    """Return the error that says that a file's bytes are not those that were written."""
    return InputError(f"{path}: is damaged, cut off or no archive of arrays")


_DAMAGE = (
    zipfile.BadZipFile,
    EOFError,
    KeyError,
    ValueError,
    OverflowError,
    NotImplementedError,  # of a later version of the format
    struct.error,
)
"""What `zipfile` raises if bytes are wrong in the part that it reads for us."""


@contextmanager
def _places(path: Path) -> Iterator[tuple[IO[bytes], dict[str, _Place]]]:
    with path.open("rb") as file:
        length = file.seek(0, 2)
        try:
            with zipfile.ZipFile(file) as archive:
                entries = archive.infolist()
        except _DAMAGE:
            raise damaged(path) from None
        # Entries that overlap could be more bytes in memory than there are in the file.
        names = {entry.filename for entry in entries}
        if len(names) != len(entries) or sum(entry.file_size for entry in entries) > length:
            raise damaged(path)
        yield file, {_name(path, entry): _place(path, file, entry, length) for entry in entries}


def _name(path: Path, entry: zipfile.ZipInfo) -> str:
    if not entry.filename.endswith(_SUFFIX):
        raise damaged(path)
    return entry.filename.removesuffix(_SUFFIX)


def _place(path: Path, file: IO[bytes], entry: zipfile.ZipInfo, length: int) -> _Place:
    """Return where an array is; raise unless it is all there, as large as its header says."""
    begin = _begin_of_content(path, file, entry)
    end = begin + entry.file_size
    if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1 or end > length:
        raise damaged(path)
    file.seek(begin)
    start = file.read(10)
    size = int.from_bytes(start[8:], "little")
    header = file.read(min(size, _LONGEST_HEADER))
    match = _HEADER.fullmatch(header)
    if start[:8] != b"\x93NUMPY\x01\x00" or len(header) != size or match is None:
        raise damaged(path)
    shape = tuple(int(number) for number in re.findall(rb"\d+", match[3]))
    dtype = _dtype(path, match[1].decode())
    if begin + 10 + size + math.prod(shape) * dtype.itemsize != end or len(shape) > 32:
        raise damaged(path)
    return _Place(dtype, shape, match[2] == b"True", begin, begin + 10 + size, entry.CRC)


def _begin_of_content(path: Path, file: IO[bytes], entry: zipfile.ZipInfo) -> int:
    if entry.header_offset < 0:
        raise damaged(path)
    file.seek(entry.header_offset)
    local = file.read(_LOCAL_BYTES)
    if len(local) != _LOCAL_BYTES or local[:4] != b"PK\x03\x04":
        raise damaged(path)
    _, name, extra = _LOCAL_HEADER.unpack(local)
    return entry.header_offset + _LOCAL_BYTES + name + extra


def _dtype(path: Path, text: str) -> np.dtype:
    try:
        dtype = np.dtype(text)
    except (TypeError, ValueError, OverflowError):
        raise damaged(path) from None
    if dtype.itemsize == 0:
        raise damaged(path)
    return dtype


def _read(path: Path, file: IO[bytes], place: _Place) -> np.ndarray:
    file.seek(place.header)
    crc = zlib.crc32(file.read(place.offset - place.header))
    array = np.empty(place.shape, place.dtype, order="F" if place.fortran_order else "C")
    memory = array.reshape(-1, order="A").view(np.uint8)
    if file.readinto(memory) != memory.size or zlib.crc32(memory, crc) != place.crc:  # pyrefly: ignore
        raise damaged(path)
    return array


def _mapped(path: Path, place: _Place) -> np.ndarray:
    order = "F" if place.fortran_order else "C"
    if 0 in place.shape:
        return np.empty(place.shape, place.dtype, order=order)
    return np.memmap(path, place.dtype, "r", place.offset, place.shape, order)


def _archive(path: Path, arrays: dict[str, np.ndarray]) -> Archive:
    written = arrays.pop(FACTS, None)
    if written is None:
        raise InputError(f"{path}: must be a file that was saved as such, but holds other arrays")
    if written.dtype.kind != "U" or written.shape != ():
        raise damaged(path)
    if any(array.dtype.kind == "U" for array in arrays.values()):
        raise damaged(path)
    try:
        facts = json.loads(written.tobytes().decode("utf-32-le").rstrip("\0"))
    except (ValueError, RecursionError):
        raise damaged(path) from None
    if not isinstance(facts, dict):
        raise damaged(path)
    return Archive(facts, arrays)
