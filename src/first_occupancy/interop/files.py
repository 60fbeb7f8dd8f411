"""Worlds, representations and plans in files: saved by one function, loaded by another.

A file is a NumPy archive with JSON inside (`storage/archives.py`). It holds numbers and names and
nothing that could run; it says what it holds, and in which version of the format; and what it
holds passes the checks of the record's own constructor.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.core.errors import InputError, is_known
from first_occupancy.core.mdp import MDP
from first_occupancy.planning import plan_files
from first_occupancy.planning.plans import Plan
from first_occupancy.representations.occupancies import Occupancies
from first_occupancy.representations.representation import Representation, named
from first_occupancy.storage import saved_files

Savable = MDP | Occupancies | Plan


def save(path: Path | str, thing: Savable) -> None:
    """Write an MDP, `Occupancies` or a plan to a file, whole or not at all.

    Raises `OSError`, which names the file, if the disk is full or the folder cannot be written to;
    what was there before is then still there.
    """
    for kind in _KINDS.values():
        if isinstance(thing, kind.record):
            break
    else:
        known = ", ".join(kind.record.__name__ for kind in _KINDS.values())
        raise InputError(
            f"save: the thing to save, its second argument, must be one of {known}, got "
            f"{type(thing).__name__}; FRs are saved as Occupancies(frs, discount=...), mazes as "
            "their .mdp"
        )
    if not is_known(thing):
        raise InputError("save: values must be known, got traced ones, as inside jit")
    kind.write(Path(path), thing)


def load(path: Path | str, expected: type[Savable] | None = None) -> Any:
    """Return what a file holds: an `MDP`, `Occupancies` or a `Plan`.

    With `expected`, one of these types, it must be that one. Raises `InputError` if the file is
    damaged, cut off, something else, of a later format, or holds what its kind cannot be;
    `OSError` if it cannot be opened. Memory is taken only for bytes that are in the file.
    Numbers come back in JAX's precision (`jax_enable_x64`).
    """
    path = Path(path)
    found = saved_files.read(path)
    if found.kind not in _KINDS:
        raise InputError(f"{path}: must hold one of {', '.join(_KINDS)}, got {found.kind!r}")
    kind = _KINDS[found.kind]
    if expected is not None and not issubclass(kind.record, expected):
        raise InputError(f"load: {path} must hold {expected.__name__}, got {kind.record.__name__}")
    return kind.unpack(path, found.facts, found.arrays)


def _write_mdp(path: Path, mdp: MDP) -> None:
    names = {"state_names": mdp.state_names, "action_names": mdp.action_names}
    arrays = {name: np.asarray(getattr(mdp, name)) for name in _WORLD}
    saved_files.write(path, "mdp", arrays, facts=names)


_WORLD = {
    "transition": (saved_files.REALS, "S A S"),
    "reward": (saved_files.REALS, "S A S"),
    "start": (saved_files.REALS, "S"),
}


def _unpack_mdp(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> MDP:
    saved_files.check_arrays(path, arrays, _WORLD)
    names = {name: facts.get(name) for name in ("state_names", "action_names")}
    return _made(path, MDP, *(jnp.asarray(arrays[name]) for name in _WORLD), **names)


def _write_occupancies(path: Path, occupancies: Occupancies) -> None:
    facts = {name: getattr(occupancies, name) for name in _OF_WHAT}
    arrays = {"values": np.asarray(occupancies.values)}
    if occupancies.policies is not None:
        arrays["policies"] = np.asarray(occupancies.policies)
    representation = occupancies.representation
    facts |= {"representation": representation.name, "parameters": representation.parameters}
    saved_files.write(path, "occupancies", arrays, facts=facts)


_OF_WHAT = ("discount", "state_names", "policy_names")


def _unpack_occupancies(
    path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> Occupancies:
    shapes = {"values": (saved_files.REALS, "N S S")}
    if "policies" in arrays:
        shapes["policies"] = (saved_files.REALS, "N S A")
    saved_files.check_arrays(path, arrays, shapes)
    policies = jnp.asarray(arrays["policies"]) if "policies" in arrays else None
    said = {name: facts.get(name) for name in _OF_WHAT}
    said["representation"] = _made(path, _representation, facts=facts)
    return _made(path, Occupancies, jnp.asarray(arrays["values"]), policies=policies, **said)


def _representation(facts: Mapping[str, Any]) -> Representation:
    name, parameters = facts.get("representation"), facts.get("parameters", {})
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise InputError("representation must be a name, and its parameters an object")
    return named(name, **parameters)


def _made(path: Path, record: Callable[..., Any], *arrays: jax.Array, **facts: Any) -> Any:
    try:
        return record(*arrays, **facts)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


class _Kind(NamedTuple):
    record: type
    write: Callable[[Path, Any], None]
    unpack: Callable[[Path, Mapping[str, Any], Mapping[str, np.ndarray]], Any]


_KINDS = {
    "mdp": _Kind(MDP, _write_mdp, _unpack_mdp),
    "occupancies": _Kind(Occupancies, _write_occupancies, _unpack_occupancies),
    plan_files.KIND: _Kind(Plan, plan_files.write_plan, plan_files.unpack_plan),
}
