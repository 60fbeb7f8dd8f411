"""Saving and loading of MDPs, representations and plans.

A file is a NumPy archive with JSON inside (`archives.py`). It holds numbers and names and no code.
It states its kind of record and the version of the format, and has the arrays that its kind
requires. Loading calls the record's own constructor or checks, so invalid content is refused.

How each kind of record is packed and unpacked stands in a module of its own (`HOMES`).
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError, is_known
from first_occupancy.storage import archives
from first_occupancy.storage.whole_files import drop_unfinished

Arrays = Mapping[str, np.ndarray]
Facts = Mapping[str, Any]

LIBRARY, FORMAT = "first-occupancy", 2

REALS, WHOLES = "real numbers", "whole numbers"
_DTYPE_KINDS = {REALS: "f", WHOLES: "iu"}

Shapes = Mapping[str, tuple[str, str]]
"""For each array its kind of numbers (`REALS` or `WHOLES`) and the letters of its shape."""


class Kind(NamedTuple):
    """A kind of record that can be saved.

    Attributes:
        record: class of the records.
        pack: function that returns the arrays and facts of a record.
        unpack: function that makes a record from a file's path (for messages), facts and arrays.
    """

    record: type
    pack: Callable[[Any], tuple[Arrays, Facts]]
    unpack: Callable[[Path, Facts, Arrays], Any]


HOMES = {
    "mdp": "first_occupancy.storage.mdp_files",
    "sparse_mdp": "first_occupancy.storage.mdp_files",
    "occupancies": "first_occupancy.representations.occupancy_files",
    "plan": "first_occupancy.planning.plan_files",
}
"""Modules whose `KINDS` have each kind by the name that files state; imported when needed."""


@check_arguments
def save(thing: object, path: Path | str) -> None:
    """Write an `MDP`, a `SparseMDP`, `Occupancies` or a plan to a file, atomically.

    Args:
        thing: record to save. Save FRs as `Occupancies(frs, discount=...)`, a maze as its `mdp`.
        path: file to write, usually ending in .npz.

    Raises:
        InputError: if `thing` is of no kind that can be saved, or holds traced values.
        OSError: if the disk is full or the folder cannot be written to. An existing file is then
            left as it was.
    """
    kinds = {name: _kind(name) for name in HOMES}
    name = next((name for name in HOMES if isinstance(thing, kinds[name].record)), None)
    if name is None:
        known = ", ".join(sorted(kind.record.__name__ for kind in kinds.values()))
        hint = "; the path comes second" if isinstance(thing, str | Path) else ""
        raise InputError(
            f"save: the thing to save must be one of {known}, got {type(thing).__name__}{hint}; "
            "FRs are saved as Occupancies(frs, discount=...), mazes as their .mdp"
        )
    if not is_known(thing):
        raise InputError("save: values must be concrete, got traced ones, as inside jit")
    arrays, facts = kinds[name].pack(thing)
    drop_unfinished(Path(path))
    says = {"library": LIBRARY, "format": FORMAT, "kind": name}
    archives.write(Path(path), arrays, facts={**facts, **says})


@check_arguments
def load(path: Path | str, expected: type | None = None) -> Any:
    """Return the record in a file: an `MDP`, a `SparseMDP`, `Occupancies` or a `Plan`.

    A damaged file never takes more memory than its own length. Numbers come back in JAX's precision
    (`jax_enable_x64`).

    Args:
        path: file that `save` wrote.
        expected: class that the record must have; None accepts any.

    Raises:
        InputError: if the file is damaged, truncated, not written by `save`, in another version of
            the format, of another class than `expected`, or holds invalid values.
        OSError: if it cannot be opened.
    """
    path = Path(path)
    facts, arrays = read(path)
    if facts["kind"] not in HOMES:
        known = ", ".join(sorted(HOMES))
        raise InputError(f"{path}: must hold one of {known}, got {facts['kind']!r}")
    kind = _kind(facts["kind"])
    if expected is not None and not issubclass(kind.record, expected):
        raise InputError(f"load: {path} must hold {expected.__name__}, got {kind.record.__name__}")
    return kind.unpack(path, facts, arrays)


def read(path: Path, *, mapped: bool = False) -> archives.Content:
    """Return the facts of a file that `save` wrote, its "kind" among them, and its arrays.

    Args:
        mapped: whether arrays are memory-mapped.
    """
    facts, arrays = archives.read(path, mapped=mapped)
    if facts.get("library") != LIBRARY or not isinstance(facts.get("kind"), str):
        raise InputError(f"{path}: must be a file written by this library, but holds other arrays")
    if facts.get("format") != FORMAT:
        raise InputError(
            f"{path}: must be of format {FORMAT}, got {facts.get('format')}; save it again with "
            "this version"
        )
    return facts, arrays


def check_arrays(path: Path, arrays: Arrays, shapes: Shapes) -> None:
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


def made(path: Path, record: Callable[..., Any], *arguments: Any, **facts: Any) -> Any:
    """Return a record made from the content of a file; errors name the file."""
    try:
        return record(*arguments, **facts)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _kind(name: str) -> Kind:
    return import_module(HOMES[name]).KINDS[name]
