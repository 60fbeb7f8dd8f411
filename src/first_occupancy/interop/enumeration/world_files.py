"""Enumerated worlds in files: the sparse world, its ends, and what tells its states apart.

    save_world(world, "four_rooms.npz")
    world = load_world("four_rooms.npz")                   # to plan in
    world = attached(world, environment, params=params)    # and to act

A file holds numbers and text, no code and no environment. `attached` gives a loaded world its
environment again, after checking that the states are those of the file.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._bulk_hashes import words_of
from first_occupancy.interop.enumeration.copied_worlds import CopiedWorld
from first_occupancy.interop.enumeration.copying import copies_of
from first_occupancy.interop.enumeration.functional_environments import functional
from first_occupancy.interop.enumeration.jax_worlds import JaxWorld
from first_occupancy.interop.enumeration.worlds import EnumeratedWorld
from first_occupancy.storage import saving, sparse_mdp_files
from first_occupancy.storage.saving import Kind, register

LEAF = "leaf_"
"""Arrays of a JAX world's states are named by this and a number."""


def save_world(world: EnumeratedWorld, path: Path | str) -> None:
    """Write an enumerated world to a file, atomically."""
    saving.save(world, path)


def load_world(path: Path | str) -> Any:
    """Return the enumerated world in a file, without its environment.

    Args:
        path: file that `save_world` wrote.

    Raises:
        InputError: if the file is damaged or holds anything else.
    """
    return saving.load(path, EnumeratedWorld)


def attached(
    world: EnumeratedWorld,
    environment: Any,
    *,
    params: Any = None,
    key: Callable[[Any], Any] | None = None,
) -> Any:
    """Return a loaded world with its environment, so that plans in it become agents.

    Args:
        world: world that `load_world` returned.
        params: parameters of a gymnax environment; None for its own.
        key: the `key` that it was enumerated with; None for the environment's own.

    Raises:
        InputError: if states of the environment have other keys than those in the file.
    """
    if isinstance(world, CopiedWorld):
        environment.reset(seed=0)
        return replace(world, copies=copies_of(environment), key=key)
    if not isinstance(world, JaxWorld):
        raise InputError(f"attached: world must be an enumerated one, got {type(world).__name__}")
    functions = functional(environment, params)
    chosen = key or functions.key or (lambda state: state)
    shape = jax.eval_shape(functions.reset, jax.random.key(0))
    leaves, words, states = jax.tree.leaves(world.states), np.zeros(0), None
    if [leaf.shape[1:] for leaf in leaves] == [each.shape for each in jax.tree.leaves(shape)]:
        states = jax.tree.unflatten(jax.tree.structure(shape), leaves)
        words = np.asarray(jax.jit(jax.vmap(lambda state: words_of(chosen(state))))(states))
    if not np.array_equal(words, world.words[:, :-1]):
        raise InputError(
            "attached: environment and key must be those of the world, but its states have other "
            "keys there"
        )
    return replace(world, states=states, key=chosen, environment=functions)


def _without_key(_: Any) -> Any:
    raise InputError("JaxWorld: needs its environment, but comes from a file; see attached")


def _pack_jax(world: JaxWorld) -> tuple[Mapping[str, np.ndarray], Mapping[str, Any]]:
    arrays, facts = _pack(world)
    leaves = jax.tree.leaves(world.states)
    arrays["words"] = np.asarray(world.words)
    for number, leaf in enumerate(leaves):
        array = np.asarray(leaf)
        arrays[f"{LEAF}{number}"] = array.astype(np.uint8) if array.dtype == bool else array
    flags = [number for number, leaf in enumerate(leaves) if np.asarray(leaf).dtype == bool]
    return arrays, {**facts, "flags": flags}


def _unpack_jax(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> JaxWorld:
    mdp, ended, samples, rest = _unpack(path, facts, arrays)
    count = len([name for name in rest if name.startswith(LEAF)])
    names = ["words", *(f"{LEAF}{number}" for number in range(count))]
    flags = facts.get("flags")
    if not isinstance(flags, list):
        names, flags = [], []
    good = len(names) > 0 and set(rest) == set(names)
    good = good and all(rest[name].shape[:1] == ended.shape for name in names)
    if not good or rest["words"].dtype != np.uint32 or rest["words"].ndim != 2:
        raise InputError(f"{path}: must hold words and leaves of {len(ended)} states")
    leaves = [
        rest[name].astype(bool) if n in flags else rest[name] for n, name in enumerate(names[1:])
    ]
    return JaxWorld(mdp, ended, samples, leaves, rest["words"], _without_key)


def _pack_copied(world: CopiedWorld) -> tuple[Mapping[str, np.ndarray], Mapping[str, Any]]:
    arrays, facts = _pack(world)
    return arrays, {**facts, "keys": [_written(key) for key in world.keys]}


def _unpack_copied(
    path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> CopiedWorld:
    mdp, ended, samples, rest = _unpack(path, facts, arrays)
    keys = facts.get("keys")
    if rest or not isinstance(keys, list) or len(keys) != len(ended):
        raise InputError(f"{path}: must hold the keys of {len(ended)} states, and nothing else")
    try:
        return CopiedWorld(mdp, ended, samples, [_read(key) for key in keys])
    except (TypeError, ValueError, KeyError):
        raise InputError(f"{path}: keys must be numbers, text or lists of them") from None


def _pack(world: EnumeratedWorld) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    arrays, facts = sparse_mdp_files.pack(world.mdp)
    ended = np.asarray(world.ended).astype(np.uint8)
    return {**arrays, "ended": ended}, {**facts, "samples": int(world.samples)}


def _unpack(
    path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> tuple[Any, np.ndarray, int, dict[str, np.ndarray]]:
    own = {name: array for name, array in arrays.items() if name in sparse_mdp_files.NAMES}
    mdp = sparse_mdp_files.unpack(path, facts, own)
    rest = {name: array for name, array in arrays.items() if name not in own}
    ended, samples = rest.pop("ended", np.zeros(0)), facts.get("samples")
    if ended.shape != (mdp.num_states,) or not isinstance(samples, int) or samples < 1:
        raise InputError(f"{path}: must say how many samples there were, and which states end")
    return mdp, ended.astype(bool), samples, rest


def _written(key: Hashable) -> Any:
    """Return a key in the form in which JSON can hold it."""
    if isinstance(key, tuple):
        return [_written(part) for part in key]
    if isinstance(key, bytes):
        return {"bytes": key.hex()}
    if key is None or isinstance(key, bool | int | float | str):
        return key
    raise InputError(
        f"save: keys must be numbers, text, bytes or tuples of them, got {type(key).__name__}"
    )


def _read(key: Any) -> Hashable:
    if isinstance(key, list):
        return tuple(_read(part) for part in key)
    return bytes.fromhex(key["bytes"]) if isinstance(key, dict) else key


register(Kind("jax_world", JaxWorld, _pack_jax, _unpack_jax))
register(Kind("copied_world", CopiedWorld, _pack_copied, _unpack_copied))
