"""Files that users save: archives that also state their kind and the version of the format.

`fo.save` knows the kinds. This module has what they share: it checks that a file was written by
this library, in a format that can be read, with the arrays that its kind requires.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.storage import archives
from first_occupancy.storage.whole_files import drop_unfinished

LIBRARY, FORMAT = "first-occupancy", 2

Shapes = Mapping[str, tuple[str, str]]
"""For each array its kind of numbers (`REALS` or `WHOLES`) and the letters of its shape."""

REALS, WHOLES = "real numbers", "whole numbers"
_DTYPE_KINDS = {REALS: "f", WHOLES: "iu"}


class _Saved(NamedTuple):
    """Content of a saved file; facts are metadata, with the kind and the version of the format."""

    kind: str
    facts: dict[str, Any]
    arrays: dict[str, np.ndarray]


def write(
    path: Path, kind: str, arrays: Mapping[str, np.ndarray], *, facts: Mapping[str, Any]
) -> None:
    """Write a record as one file, atomically."""
    drop_unfinished(path)
    says = {"library": LIBRARY, "format": FORMAT, "kind": kind}
    archives.write(path, arrays, facts={**facts, **says})


def read(path: Path, *, mapped: bool = False) -> _Saved:
    """Return the content of a file that `write` wrote, its arrays memory-mapped if so wanted."""
    facts, arrays = archives.read(path, mapped=mapped)
    if facts.get("library") != LIBRARY or not isinstance(facts.get("kind"), str):
        raise InputError(f"{path}: must be a file written by this library, but holds other arrays")
    if facts.get("format") != FORMAT:
        raise InputError(
            f"{path}: must be of format {FORMAT}, got {facts.get('format')}; save it again with "
            "this version"
        )
    return _Saved(facts["kind"], facts, arrays)


def check_arrays(path: Path, arrays: Mapping[str, np.ndarray], shapes: Shapes) -> None:
    """Raise unless a file holds exactly the arrays that it should, with shapes that agree."""
    for name in shapes.keys() ^ arrays.keys():
        has = "lacks" if name in shapes else "must not have"
        raise InputError(f"{path}: {has} {name}")
    sizes: dict[str, int] = {}
    for name, (numbers, letters) in shapes.items():
        array, axes = arrays[name], letters.split()
        fits = array.dtype.kind in _DTYPE_KINDS[numbers] and array.dtype.itemsize <= 8
        fits = fits and array.ndim == len(axes) and 0 not in array.shape
        if not fits or any(
            sizes.setdefault(a, n) != n for a, n in zip(axes, array.shape, strict=True)
        ):
            raise InputError(
                f"{path}: {name} must be {numbers} of shape [{letters}] that agrees with the "
                f"other arrays, got {array.dtype}{list(array.shape)}"
            )
