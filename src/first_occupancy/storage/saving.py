"""Worlds, representations and plans in files: saved by one function, loaded by another.

A file is a NumPy archive with JSON inside (`archives.py`). It holds numbers and names and nothing
that could run; it says what it holds, and in which version of the format; and what it holds passes
the checks of the record's own constructor.

Each kind of record registers how it is packed and unpacked, beside its definition.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from first_occupancy.core.errors import InputError, is_known
from first_occupancy.storage import saved_files

Arrays = Mapping[str, np.ndarray]
Facts = Mapping[str, Any]


class Kind(NamedTuple):
    """A kind of record that files hold: what it is called, and how it is packed and unpacked."""

    name: str
    record: type
    pack: Callable[[Any], tuple[Arrays, Facts]]
    unpack: Callable[[Path, Facts, Arrays], Any]


HOMES = {
    "mdp": "first_occupancy.storage.mdp_files",
    "occupancies": "first_occupancy.representations.occupancy_files",
    "plan": "first_occupancy.planning.plan_files",
}
"""The modules that register our kinds: imported when such a record or file is first met."""

_KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Let `save` and `load` know a kind of record."""
    _KINDS[kind.name] = kind


def save(thing: object, path: Path | str) -> None:
    """Write an MDP, `Occupancies` or a plan to a file, whole or not at all.

    Args:
        thing: record to save. FRs are saved as `Occupancies(frs, discount=...)`, a maze as its
            `mdp`.
        path: file to write, usually ending in .npz.

    Raises:
        InputError: if it is nothing that can be saved.
        OSError: if the disk is full or the folder cannot be written to; what was there before is
            then still there.
    """
    kind = _kind_of(thing)
    if not is_known(thing):
        raise InputError("save: values must be concrete, got traced ones, as inside jit")
    arrays, facts = kind.pack(thing)
    saved_files.write(Path(path), kind.name, arrays, facts=facts)


def load(path: Path | str, expected: type | None = None) -> Any:
    """Return what a file holds: an `MDP`, `Occupancies` or a `Plan`.

    Memory is taken only for bytes that are in the file. Numbers come back in JAX's precision
    (`jax_enable_x64`).

    Args:
        path: file that `save` wrote.
        expected: type that it must hold, if only one will do.

    Raises:
        InputError: if the file is damaged, cut off, something else, of another format, or holds
            what its kind cannot be.
        OSError: if it cannot be opened.
    """
    path = Path(path)
    found = saved_files.read(path)
    kind = _kind_named(path, found.kind)
    if expected is not None and not issubclass(kind.record, expected):
        raise InputError(f"load: {path} must hold {expected.__name__}, got {kind.record.__name__}")
    return kind.unpack(path, found.facts, found.arrays)


def made(path: Path, record: Callable[..., Any], *arguments: Any, **facts: Any) -> Any:
    """Return the record made of what a file holds; name the file if it cannot be."""
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
