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


def save(path: Path, tree: PyTree, *, facts: Mapping[str, Any]) -> None:
    """Write all arrays of a tree and the facts as one file, atomically.

    Args:
        facts: metadata that JSON can represent, which `load` compares.
    """
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    arrays = {
        jax.tree_util.keystr(place): np.asarray(
            jax.random.key_data(leaf) if _is_key(leaf) else leaf
        )
        for place, leaf in leaves
    }
    archives.write(path, arrays, facts={"format": FORMAT, **facts})


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

    def restore(place: tuple[Any, ...], leaf: Any) -> Any:
        name = jax.tree_util.keystr(place)
        if name not in arrays:
            raise InputError(f"{path}: lacks {name}")
        stored = arrays[name]
        # Only shape and dtype are used: copying the values from a device may move gigabytes.
        expected = jax.eval_shape(jax.random.key_data, leaf) if _is_key(leaf) else leaf
        if stored.shape != expected.shape or stored.dtype != expected.dtype:
            raise InputError(
                f"{path}: {name} must be {expected.dtype}{list(expected.shape)}, "
                f"got {stored.dtype}{list(stored.shape)}"
            )
        if _is_key(leaf):
            return jax.random.wrap_key_data(jnp.array(stored), impl=jax.random.key_impl(leaf))
        # A copy, so that a later computation cannot donate memory that NumPy owns.
        return jnp.array(stored) if isinstance(leaf, jax.Array) else stored

    return jax.tree_util.tree_map_with_path(restore, like)


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _check_facts(path: Path, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for name, value in json.loads(json.dumps(dict(expected))).items():
        if name not in found or found[name] != value:
            there = json.dumps(found[name]) if name in found else "nothing"
            raise InputError(
                f"{path}: belongs to another run: its {name} is {there}, not {json.dumps(value)}"
            )
