"""The tasks with their optima, hidden goals, variants of the rule with one change each, Sarsas."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import MDP, PRNGKey
from first_occupancy.core.axes import Index
from first_occupancy.environments import four_rooms
from first_occupancy_paper.explorers.bonuses import NormBonus
from first_occupancy_paper.explorers.sarsa import Learner, Sarsa

from ..exploration.protocols import Task


def draw_goals(key: PRNGKey, count: int) -> tuple[Int[Array, " G"], PRNGKey]:
    """Return different goals, none of them the start, and a key for the walks to them."""
    rooms = four_rooms()
    goal_key, walk_key = jax.random.split(key)
    cells = jnp.array([state for state in range(rooms.num_states) if state != rooms.start])
    return jax.random.choice(goal_key, cells, (count,), replace=False), walk_key


@jax.jit
def optimum(mdp: MDP, num_steps: Index) -> Float[Array, ""]:
    """Return the largest expected total reward of an agent that knows the world.

    Args:
        mdp: world of the trial.
        num_steps: number of steps of the trial.
    """
    paid = (mdp.transition * mdp.reward).sum(axis=-1)

    def back(_: Array, values: Array) -> Array:
        ahead = jnp.einsum("sat,t->sa", mdp.transition, values, precision="highest")
        return (paid + ahead).max(axis=1)

    values = jax.lax.fori_loop(0, num_steps, back, jnp.zeros_like(mdp.start_distribution))
    return values @ mdp.start_distribution


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
        bonus=NormBonus(1e-7, inverted=True, floor=1e-12),
        learner=Learner(decay=1.0, discount=0.95, step_size=0.1, initial_diagonal=0.0),
    ),
}
"""Agents for the hidden goal, with the best settings of a search on 24 other goals.

It tried alpha .25 and .1, epsilon .1 and .01, and for the SR beta 1e-7 to .1 and eta .01 and .1.
The best beta is the smallest one tried, at which the bonus only breaks ties.
"""


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
