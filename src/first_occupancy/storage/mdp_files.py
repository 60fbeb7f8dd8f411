"""Saving and loading of MDPs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from first_occupancy.core.mdp import MDP
from first_occupancy.storage import saved_files
from first_occupancy.storage.saving import Kind, made, register

_ARRAYS = {
    "transition": (saved_files.REALS, "S A S"),
    "reward": (saved_files.REALS, "S A S"),
    "start_distribution": (saved_files.REALS, "S"),
}
_NAMES = ("state_names", "action_names")


def _pack(mdp: MDP) -> tuple[Mapping[str, np.ndarray], Mapping[str, Any]]:
    arrays = {name: np.asarray(getattr(mdp, name)) for name in _ARRAYS}
    return arrays, {name: getattr(mdp, name) for name in _NAMES}


def _unpack(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> MDP:
    saved_files.check_arrays(path, arrays, _ARRAYS)
    names = {name: facts.get(name) for name in _NAMES}
    return made(path, MDP, *(jnp.asarray(arrays[name]) for name in _ARRAYS), **names)


register(Kind("mdp", MDP, _pack, _unpack))
