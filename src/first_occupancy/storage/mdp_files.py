"""Dense and sparse MDPs in files; of a sparse one the matrices of all actions, one by one."""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array

from first_occupancy.core.errors import InputError
from first_occupancy.core.mdp import MDP
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.storage.saving import REALS, WHOLES, Arrays, Facts, Kind, check_arrays, made

_DENSE = {
    "transition": (REALS, "S A S"),
    "reward": (REALS, "S A S"),
    "start_distribution": (REALS, "S"),
}
_SPARSE = {
    "probabilities": (REALS, "E"),
    "columns": (WHOLES, "E"),
    "row_starts": (WHOLES, "A R"),
    "rewards": (REALS, "S A"),
    "start_distribution": (REALS, "S"),
}
_NAMES = ("state_names", "action_names")


def _pack(mdp: MDP) -> tuple[Arrays, Facts]:
    arrays = {name: np.asarray(getattr(mdp, name)) for name in _DENSE}
    return arrays, {name: getattr(mdp, name) for name in _NAMES}


def _unpack(path: Path, facts: Facts, arrays: Arrays) -> MDP:
    check_arrays(path, arrays, _DENSE)
    names = {name: facts.get(name) for name in _NAMES}
    return made(path, MDP, *(jnp.asarray(arrays[name]) for name in _DENSE), **names)


def _pack_sparse(world: SparseMDP) -> tuple[Arrays, Facts]:
    chains = world.action_chains
    before = np.append(0, np.cumsum([chain.nnz for chain in chains])[:-1])
    starts = [chain.indptr.astype(np.int64) for chain in chains]
    arrays = {
        "probabilities": np.concatenate([chain.data for chain in chains]),
        "columns": np.concatenate([chain.indices for chain in chains]),
        "row_starts": np.stack(starts) + before[:, None],
        "rewards": world.rewards,
        "start_distribution": world.start_distribution,
    }
    if world.durations is not None:
        arrays["durations"] = world.durations
    return arrays, {name: getattr(world, name) for name in _NAMES}


def _unpack_sparse(path: Path, facts: Facts, arrays: Arrays) -> SparseMDP:
    timed = {"durations": (REALS, "S A")} if "durations" in arrays else {}
    check_arrays(path, arrays, {**_SPARSE, **timed})
    options = {name: arrays[name] for name in ("rewards", "start_distribution", *timed)}
    names = {name: facts.get(name) for name in _NAMES}
    return made(path, SparseMDP, _matrices(path, arrays), **options, **names)


def _matrices(path: Path, arrays: Arrays) -> list[csr_array]:
    """Return the matrix of each action, after checking that the entries make matrices."""
    size, entries = len(arrays["start_distribution"]), len(arrays["columns"])
    starts, columns = arrays["row_starts"].astype(np.int64), arrays["columns"]
    flat = starts.ravel()
    in_order = (np.diff(flat) >= 0).all() and flat[0] == 0 and flat[-1] == entries
    if starts.shape[1] != size + 1 or not in_order or (starts[1:, 0] != starts[:-1, -1]).any():
        raise InputError(f"{path}: row_starts must divide the {entries} entries into rows")
    if not ((columns >= 0) & (columns < size)).all():
        raise InputError(f"{path}: columns must be in 0..{size - 1}")
    parts = [slice(each[0], each[-1]) for each in starts]
    probabilities = arrays["probabilities"].astype(np.float64)  # SciPy has no half precision
    return [
        csr_array((probabilities[part], columns[part], each - each[0]), (size, size))
        for part, each in zip(parts, starts, strict=True)
    ]


KINDS = {
    "mdp": Kind(MDP, _pack, _unpack),
    "sparse_mdp": Kind(SparseMDP, _pack_sparse, _unpack_sparse),
}
