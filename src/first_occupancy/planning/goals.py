"""The goals that planners are asked for, checked before they start."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_index, check_indices, is_known


def check_goal(caller: str, goal: Index, size: int, *, several: str) -> None:
    """Raise unless the goal is one of `size` states; who has several is told what plans to them."""
    if is_known(goal) and np.ndim(goal):
        raise InputError(
            f"{caller}: goal must be one whole number ({several} takes several), got {goal}"
        )
    check_index(caller, "goal", goal, size)


def checked_goals(
    caller: str, goals: Sequence[int] | Int[ArrayLike, " G"], size: int
) -> Int[np.ndarray, " G"]:
    """Return the goals as an array, or raise unless they are a list of some of `size` states."""
    array = np.asarray(goals)
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"{caller}: goals must be a list of states, got shape {array.shape}")
    check_indices(caller, "goals", array, size)
    return array
