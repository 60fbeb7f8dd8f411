"""Saving and loading of MDPs, representations and plans.

A file is a NumPy archive with JSON inside (`archives.py`). It holds numbers and names and no code.
It states its kind of record and the version of the format. Loading calls the record's own
constructor or checks, so invalid content is refused.

Each kind of record registers how it is packed and unpacked, beside its definition.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError, is_known
from first_occupancy.storage import saved_files

Arrays = Mapping[str, np.ndarray]
Facts = Mapping[str, Any]


class Kind(NamedTuple):
    """A kind of record that can be saved.

    Attributes:
        name: name of the kind, as files state it.
        record: class of the records.
        pack: function that returns the arrays and facts of a record.
        unpack: function that makes a record from a file's path (for messages), facts and arrays.
    """

    name: str
    record: type
    pack: Callable[[Any], tuple[Arrays, Facts]]
    unpack: Callable[[Path, Facts, Arrays], Any]


HOMES = {
    "mdp": "first_occupancy.storage.mdp_files",
    "sparse_mdp": "first_occupancy.storage.mdp_files",
    "occupancies": "first_occupancy.representations.occupancy_files",
    "plan": "first_occupancy.planning.plan_files",
}
"""Modules that register the built-in kinds; each is imported when it is first needed."""

_KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Make a kind of record known to `save` and `load`."""
    _KINDS[kind.name] = kind


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
    kind = _kind_of(thing)
    if not is_known(thing):
        raise InputError("save: values must be concrete, got traced ones, as inside jit")
    arrays, facts = kind.pack(thing)
    saved_files.write(Path(path), kind.name, arrays, facts=facts)


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
    found = saved_files.read(path)
    kind = _kind_named(path, found.kind)
    if expected is not None and not issubclass(kind.record, expected):
        raise InputError(f"load: {path} must hold {expected.__name__}, got {kind.record.__name__}")
    return kind.unpack(path, found.facts, found.arrays)


def made(path: Path, record: Callable[..., Any], *arguments: Any, **facts: Any) -> Any:
    """Return a record made from the content of a file; errors name the file."""
    try:
        return record(*arguments, **facts)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _kind_of(thing: object) -> Kind:
    for name in HOMES.keys() | _KINDS.keys():
        _learn_of(name)
    for kind in _KINDS.values():
        if isinstance(thing, kind.record):
            return kind
    known = ", ".join(sorted(kind.record.__name__ for kind in _KINDS.values()))
    hint = "; the path comes second" if isinstance(thing, str | Path) else ""
    raise InputError(
        f"save: the thing to save must be one of {known}, got {type(thing).__name__}{hint}; FRs "
        "are saved as Occupancies(frs, discount=...), mazes as their .mdp"
    )


def _kind_named(path: Path, name: str) -> Kind:
    _learn_of(name)
    if name not in _KINDS:
        known = ", ".join(sorted(HOMES.keys() | _KINDS.keys()))
        raise InputError(f"{path}: must hold one of {known}, got {name!r}")
    return _KINDS[name]


def _learn_of(name: str) -> None:
    if name not in _KINDS and name in HOMES:
        import_module(HOMES[name])
