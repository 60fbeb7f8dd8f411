"""The check of the one goal that is passed to a planner."""

import numpy as np

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, as_given, check_index, is_known


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
