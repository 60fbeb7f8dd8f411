"""RiverSwim: a river whose best reward is hard to find (Fig. "explore_envs").

From Strehl and Littman (2008). The small reward is near and easy to get; the current pushes away
from the large one.
"""

from typing import Annotated

import numpy as np

from first_occupancy.core.arguments import Limits, check_arguments
from first_occupancy.core.mdp import MDP

RIGHT, LEFT = 0, 1


@check_arguments
def river_swim(num_states: Annotated[int, Limits(least=3)] = 6) -> MDP:
    """Return RiverSwim-N: swim right against the current for 10,000, or drift left for 5.

    Swimming right from a middle state moves right with probability .3, stays with .6 and moves
    left with .1. Episodes start in state 1 or 2.

    Args:
        num_states: N, at least 3; RiverSwim-12 and -24 have more middle states.
    """
    last = num_states - 1
    transition = np.zeros((num_states, 2, num_states))
    transition[np.arange(num_states), LEFT, np.maximum(np.arange(num_states) - 1, 0)] = 1
    transition[0, RIGHT, [0, 1]] = 0.7, 0.3
    for state in range(1, last):
        transition[state, RIGHT, [state - 1, state, state + 1]] = 0.1, 0.6, 0.3
    transition[last, RIGHT, [last - 1, last]] = 0.7, 0.3

    reward = np.zeros_like(transition)
    reward[0, LEFT, 0] = 5
    reward[last, RIGHT, last] = 10_000
    start = np.zeros(num_states)
    start[[1, 2]] = 0.5
    return MDP(transition, reward, start)
