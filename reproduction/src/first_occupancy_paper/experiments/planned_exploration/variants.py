"""The tasks, variants of the rule with one change each, and the Sarsa agents to compare with."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from first_occupancy.core import MDP
from first_occupancy.environments import four_rooms, river_swim, six_arms
from first_occupancy_paper.experiments.exploration.protocols import Task
from first_occupancy_paper.explorers.bonuses import inverse
from first_occupancy_paper.explorers.sarsa import Learner, Sarsa

TASKS: tuple[Task, ...] = ("RiverSwim-24", "SixArms", "RiverSwim-12", "RiverSwim-6")
"""In the order of running: the longest first, so that processes end at about the same time."""

ABLATED: tuple[Task, ...] = ("SixArms", "RiverSwim-12", "RiverSwim-6")

WHOLE = "the whole rule"

ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "no planning": {"sweeps": 0},
    "no planning or look-ahead (GPI)": {"sweeps": 0, "look_ahead": False},
    "novelty every time (SR)": {"once": False},
    "no kin": {"kinship": False},
    "exponent .5": {"exponent": 0.5},
    "exponent 2": {"exponent": 2.0},
    "exponent 3": {"exponent": 3.0},
    "worth x .01": {"optimism": 0.01},
    "worth x .1": {"optimism": 0.1},
    "worth x 10": {"optimism": 10.0},
    "worth x 100": {"optimism": 100.0},
    "rewards x .001": {"reward_scale": 0.001},
    "rewards x 1000": {"reward_scale": 1000.0},
}
"""The change of each variant; the other settings stay the same and are not tuned again."""

SARSAS: Mapping[str, Sarsa] = {
    "Sarsa": Sarsa(step_size=0.25, epsilon=0.01, discount=0.95),
    "Sarsa+SR": Sarsa(
        step_size=0.25,
        epsilon=0.1,
        discount=0.95,
        bonus=inverse(1e-7, floor=1e-12),
        learner=Learner(decay=1.0, discount=0.95, step_size=0.1, initial_diagonal=0.0),
    ),
}
"""Agents for the hidden goal, with the best settings of a search on 24 other goals.

It tried alpha .25 and .1, epsilon .1 and .01, and for the SR beta 1e-7 to .1 and eta .01 and .1.
The best beta is the smallest one tried, at which the bonus only breaks ties.
"""


def world(task: str) -> MDP:
    """Return the task's MDP."""
    return six_arms() if task == "SixArms" else river_swim(int(task.removeprefix("RiverSwim-")))


def hidden_goal(goal: int) -> MDP:
    """Return FourRooms where entering a cell pays 1, and every move from there leads to the start.

    All other rewards are 0: bumps are free, since the explorer assumes positive rewards.
    """
    rooms = four_rooms()
    arrival = np.eye(rooms.num_states)[rooms.next_states.T]
    arrival[goal] = np.eye(rooms.num_states)[rooms.start]
    reward = np.zeros_like(arrival)
    reward[:, :, goal] = 1
    reward[goal] = 0
    return MDP(arrival, reward, np.eye(rooms.num_states)[rooms.start])
