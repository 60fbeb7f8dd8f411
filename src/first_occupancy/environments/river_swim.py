"""RiverSwim and SixArms: worlds whose best reward is hard to find (Fig. "explore_envs").

Both are from Strehl and Littman (2008). The easy reward is small and near; the
current, or the odds, push away from the large one.
"""

from numbers import Integral

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.core.mdp import MDP

RIGHT, LEFT = 0, 1


def river_swim(num_states: int = 6) -> MDP:
    """Return RiverSwim-N: swim right against the current for 10,000, or drift left for 5.

    Swimming right from a middle state moves up with .3, holds with .6 and slips back
    with .1. One begins in state 1 or 2. RiverSwim-12 and -24 have more middle states.
    """
    if not isinstance(num_states, Integral):
        raise InputError(f"river_swim: num_states must be a whole number, got {num_states!r}")
    if num_states < 3:
        raise InputError(f"river_swim: num_states must be at least 3, got {num_states}")
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


SIX_ARMS_ODDS = (1.0, 0.15, 0.10, 0.05, 0.03, 0.01)
SIX_ARMS_PAY = (50.0, 133.0, 300.0, 800.0, 1666.0, 6000.0)


def six_arms() -> MDP:
    """Return SixArms: a hub (state 0) and six arms, the richer the harder to enter.

    Action k leads from the hub to arm k + 1 with falling odds. In arm 1 every action
    but 4 stays and pays; in arm k >= 2 only action k - 1 does. Else back to the hub.
    """
    num_arms = len(SIX_ARMS_ODDS)
    transition = np.zeros((num_arms + 1, num_arms, num_arms + 1))
    reward = np.zeros_like(transition)
    for action, odds in enumerate(SIX_ARMS_ODDS):
        arm = action + 1
        transition[0, action, arm] = odds
        transition[0, action, 0] += 1 - odds
        staying = [0, 1, 2, 3, 5] if arm == 1 else [action]
        transition[arm, :, 0] = 1
        transition[arm, staying, 0] = 0
        transition[arm, staying, arm] = 1
        reward[arm, staying, arm] = SIX_ARMS_PAY[action]
    start = np.eye(num_arms + 1)[0]
    return MDP(transition, reward, start)
