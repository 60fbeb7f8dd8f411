"""SixArms: a hub with six arms whose best reward is hard to find (Fig. "explore_envs").

From Strehl and Littman (2008). The smallest reward is certain; the larger the reward of an arm, the
smaller the probability of entering it.
"""

import numpy as np

from first_occupancy.core.mdp import MDP

ODDS = (1.0, 0.15, 0.10, 0.05, 0.03, 0.01)
PAY = (50.0, 133.0, 300.0, 800.0, 1666.0, 6000.0)
"""The probability of entering each arm from the hub (`ODDS`), and the reward per step in it."""


def six_arms() -> MDP:
    """Return SixArms: a hub (state 0) and six arms; the more one pays, the harder it is to enter.

    Action k leads from the hub to arm k + 1 with probability `ODDS[k]`, and else stays in the hub.
    In arm 1 every action except 4 stays and pays; in arm k >= 2 only action k - 1 does. All other
    actions lead back to the hub.
    """
    num_arms = len(ODDS)
    transition = np.zeros((num_arms + 1, num_arms, num_arms + 1))
    reward = np.zeros_like(transition)
    for action, odds in enumerate(ODDS):
        arm = action + 1
        transition[0, action, arm] = odds
        transition[0, action, 0] += 1 - odds
        staying = [0, 1, 2, 3, 5] if arm == 1 else [action]
        transition[arm, :, 0] = 1
        transition[arm, staying, 0] = 0
        transition[arm, staying, arm] = 1
        reward[arm, staying, arm] = PAY[action]
    start = np.eye(num_arms + 1)[0]
    return MDP(transition, reward, start)
