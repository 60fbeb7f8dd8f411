"""Checks of the goals that are passed to planners."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, as_given, check_index, check_indices, is_known


def check_goal(caller: str, goal: Index, size: int, *, several: str) -> None:
    """Raise unless the goal is one of `size` states.

    If several goals are passed, the message names the function that takes them, `several`.
    """
    if is_known(goal) and np.ndim(goal):
        raise InputError(
            f"{caller}: goal must be one whole number ({several} takes several; a maze's "
            f"state(row, column) is the number of a cell), got {as_given(goal)}"
        )
    check_index(caller, "goal", goal, size)


def check_goals(caller: str, goals: Sequence[int] | Int[ArrayLike, " G"], size: int) -> None:
    """Raise unless the goals are a non-empty list of states, of which there are `size`."""
    shape = np.shape(goals)
    if len(shape) != 1 or 0 in shape:
        raise InputError(f"{caller}: goals must be a list of states, got shape {shape}")
    if is_known(goals):
        check_indices(caller, "goals", np.asarray(goals), size)
