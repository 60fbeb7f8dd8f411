"""Files of things that users save: an archive that says what it holds, of which kind and version.

`fo.save` knows the kinds. Here is what they have in common, so that a file is known for
one of ours, of a version that we read, with the arrays that its kind must have.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.storage import archives

LIBRARY, FORMAT = "first-occupancy", 2

Shapes = Mapping[str, tuple[str, str]]
"""For each array, what it holds (`REALS` or `WHOLES`) and the letters of its shape."""

REALS, WHOLES = "real numbers", "whole numbers"
_DTYPE_KINDS = {REALS: "f", WHOLES: "iu"}


class Saved(NamedTuple):
    """What a file holds: a kind, facts, and arrays by their names."""

    kind: str
    facts: dict[str, Any]
    arrays: dict[str, np.ndarray]


def write(
    path: Path, kind: str, arrays: Mapping[str, np.ndarray], *, facts: Mapping[str, Any]
) -> None:
    """Write a thing of some kind as one whole file."""
    says = {"library": LIBRARY, "format": FORMAT, "kind": kind}
    archives.write(path, arrays, facts={**facts, **says})


def read(path: Path) -> Saved:
    """Return what is in a file that `write` wrote, every byte checked; else raise `InputError`."""
    return _opened(path, archives.read(path))


def read_mapped(path: Path) -> Saved:
    """Return the same with arrays that stay on disk but for the parts that are looked at."""
    return _opened(path, archives.read_mapped(path))


def _opened(path: Path, archive: archives.Archive) -> Saved:
    facts = archive.facts
    if facts.get("library") != LIBRARY or not isinstance(facts.get("kind"), str):
        raise InputError(f"{path}: must be a file that was saved as such, but holds other arrays")
    if facts.get("format") != FORMAT:
        raise InputError(
            f"{path}: must be of format {FORMAT}, got {facts.get('format')}; save it again with "
            "this version"
        )
    return Saved(facts["kind"], facts, archive.arrays)


def check_arrays(path: Path, arrays: Mapping[str, np.ndarray], shapes: Shapes) -> None:
    """Raise unless exactly these arrays are there, and equal letters of shapes agree."""
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
