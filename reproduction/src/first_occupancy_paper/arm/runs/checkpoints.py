"""Checkpoints: all arrays of a computation in one file, from which it can be resumed.

The file is an archive (`archives.py`). Beside the arrays it holds facts that say which computation
they belong to. `load` takes the facts that it should find; the error names the one that differs.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from first_occupancy.core.errors import InputError
from first_occupancy.storage import archives

FORMAT = 1
_MISSING = object()


def save(path: Path, tree: PyTree, *, facts: Mapping[str, Any]) -> None:
    """Write all arrays of a tree and the facts as one file, atomically.

    Args:
        facts: metadata that JSON can represent, which `load` compares.
    """
    archives.write(path, _named(tree), facts={"format": FORMAT, **facts})


def load(path: Path, like: PyTree, *, facts: Mapping[str, Any]) -> PyTree:
    """Return the tree of a checkpoint.

    Args:
        path: file that `save` wrote.
        like: tree with the structure, shapes and dtypes to expect; its values are not used.
        facts: facts to expect; the file may hold others besides.

    Raises:
        InputError: if the file is damaged or truncated, if a fact differs, or if an array is
            missing or has another shape or dtype.
    """
    found, arrays = archives.read(path)
    _check_facts(path, found, {"format": FORMAT, **facts})
    return _restored(path, arrays, like)


def _named(tree: PyTree) -> dict[str, np.ndarray]:
    """Return the leaves by their path in the tree, with random keys as plain numbers."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {_name(place): _plain(leaf) for place, leaf in leaves}


def _name(place: tuple[Any, ...]) -> str:
    return jax.tree_util.keystr(place)


def _plain(leaf: Any) -> np.ndarray:
    return np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _restored(path: Path, archive: Mapping[str, np.ndarray], like: PyTree) -> PyTree:
    def restore(place: tuple[Any, ...], leaf: Any) -> Any:
        name = _name(place)
        if name not in archive:
            raise InputError(f"{path}: lacks {name}")
        found = archive[name]
        # Only shape and dtype are used: copying the values from a device may move gigabytes.
        expected = jax.eval_shape(jax.random.key_data, leaf) if _is_key(leaf) else leaf
        expected = expected if hasattr(expected, "dtype") else np.asarray(expected)
        if found.shape != np.shape(expected) or found.dtype != expected.dtype:
            raise InputError(
                f"{path}: {name} must be {expected.dtype}{list(np.shape(expected))}, "
                f"got {found.dtype}{list(found.shape)}"
            )
        if _is_key(leaf):
            return jax.random.wrap_key_data(jnp.array(found), impl=jax.random.key_impl(leaf))
        # A copy, so that a later computation cannot donate memory that NumPy owns.
        return jnp.array(found) if isinstance(leaf, jax.Array) else found

    return jax.tree_util.tree_map_with_path(restore, like)


def _check_facts(path: Path, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for name, value in json.loads(json.dumps(dict(expected))).items():
        if found.get(name, _MISSING) != value:
            there = json.dumps(found[name]) if name in found else "nothing"
            raise InputError(
                f"{path}: belongs to another run: its {name} is {there}, not {json.dumps(value)}"
            )
