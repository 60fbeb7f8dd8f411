"""Archives: named arrays and facts (metadata) in one file, read without trusting its content.

The file is a NumPy archive (.npz) that holds numbers and names only; `numpy.load` reads it too.
Arrays are stored uncompressed, one after the other, so they can be memory-mapped. The shape and
dtype that a header claims are checked against the bytes in the file before anything is allocated:
reading never takes more memory than the file is long. Headers are parsed, not evaluated.
"""

import json
import math
import re
import struct
import sys
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
"""Name of the entry that holds the facts, as JSON."""

ALIGNMENT = 64
"""Arrays begin at multiples of this many bytes, as NumPy and JAX prefer."""

_SUFFIX = ".npy"
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_LOCAL_BYTES, _ZIP64_BYTES, _EXTRA_BYTES = 30, 20, 4
_HEADER = re.compile(
    rb"\{'descr': '([<|][biufcU]\d{1,10})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18},? ?)*)\), ?\} *\n"
)
_LONGEST_HEADER = 10_000


Content = tuple[dict[str, Any], dict[str, np.ndarray]]
"""Facts, which say what the arrays belong to, and arrays, by name."""


class _Place(NamedTuple):
    """Position of an array in the file, with its dtype and shape."""

    dtype: np.dtype
    shape: tuple[int, ...]
    fortran_order: bool
    header: int
    offset: int
    crc: int


def write(path: Path, arrays: Mapping[str, np.ndarray], *, facts: Mapping[str, Any]) -> None:
    """Write arrays and facts as one file, atomically; the same content gives the same bytes."""
    text = json.dumps(dict(facts), sort_keys=True)
    plain = {FACTS: np.array(text), **{name: np.asarray(a) for name, a in arrays.items()}}
    for array in list(plain.values())[1:]:
        if array.dtype.kind not in "biufc" or array.dtype.type.__module__ != "numpy":
            raise InputError(f"save: arrays must have a numeric NumPy dtype, got {array.dtype}")
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in plain.items():
            with archive.open(_entry(name + _SUFFIX, file.tell()), "w", force_zip64=True) as member:
                little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
                np.lib.format.write_array(member, little_endian, (1, 0), allow_pickle=False)


def read(path: Path, *, mapped: bool = False) -> Content:
    """Return the facts and the arrays of an archive, with every checksum verified.

    Mapped arrays are loaded as they are accessed: they are checked to be complete, and only the
    checksum of the facts is verified.
    """
    with _places(path) as (file, places):
        arrays = {
            name: _mapped(path, place) if mapped and name != FACTS else _read(path, file, place)
            for name, place in places.items()
        }
    return _archive(path, arrays)


def _entry(name: str, begin: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # dated 1980, so that bytes do not depend on the time
    before = begin + _LOCAL_BYTES + len(name.encode()) + _ZIP64_BYTES + _EXTRA_BYTES
    padding = -before % ALIGNMENT
    # Padding for alignment, in an extra field of unknown type, which readers skip.
    entry.extra = struct.pack("<HH", 0xF0F0, padding) + bytes(padding)
    return entry


def damaged(path: Path) -> InputError:
    """Return the error for a file whose bytes are not those that were written."""
    return InputError(f"{path}: is damaged, truncated or not an archive of arrays")


_DAMAGE = (
    zipfile.BadZipFile,
    EOFError,
    KeyError,
    ValueError,
    OverflowError,
    NotImplementedError,  # a later version of the format
    struct.error,
)
"""Exceptions that `zipfile` raises for a damaged directory of entries."""


@contextmanager
def _places(path: Path) -> Iterator[tuple[IO[bytes], dict[str, _Place]]]:
    with path.open("rb") as file:
        length = file.seek(0, 2)
        try:
            with zipfile.ZipFile(file) as archive:
                entries = archive.infolist()
        except _DAMAGE:
            raise damaged(path) from None
        # Overlapping entries could take more memory than the file is long.
        names = {entry.filename for entry in entries if entry.filename.endswith(_SUFFIX)}
        if len(names) != len(entries) or sum(entry.file_size for entry in entries) > length:
            raise damaged(path)
        yield (
            file,
            {
                entry.filename.removesuffix(_SUFFIX): _place(path, file, entry, length)
                for entry in entries
            },
        )


def _place(path: Path, file: IO[bytes], entry: zipfile.ZipInfo, length: int) -> _Place:
    """Return the position of an array; raise unless its size is the one that its header states."""
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
    # NumPy refuses empty arrays whose other axes would not fit into memory.
    if math.prod(max(1, number) for number in shape) * dtype.itemsize > sys.maxsize:
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


def _archive(path: Path, arrays: dict[str, np.ndarray]) -> Content:
    written = arrays.pop(FACTS, None)
    if written is None:
        raise InputError(f"{path}: must be a file written by this library, but holds other arrays")
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
    return facts, arrays
