"""The explorer against its model-based peers, all of which are told the largest reward.

Settings are one for all tasks, the best of a grid on random worlds akin to them: the mean share of
the optimum over 20 rivers each of 9 and of 18 states, 20 worlds of five arms, and 20 hidden goals
in one room with a wall and a door. On the tasks themselves nothing was chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import jax
import numpy as np
from jaxtyping import Array

from first_occupancy.core import MDP
from first_occupancy.core.arguments import PositiveInt
from first_occupancy_paper.explorers import explorer_trials
from first_occupancy_paper.explorers.explorer import Explorer
from first_occupancy_paper.explorers.peers import trials
from first_occupancy_paper.explorers.peers.optimism import OptimisticPlanner
from first_occupancy_paper.explorers.peers.optimistic_q import OptimisticQ
from first_occupancy_paper.explorers.peers.posterior_sampling import PosteriorSampler
from first_occupancy_paper.explorers.trials import Agent
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import OneOf, Settings

from ..exploration.protocols import TASKS, world
from .variants import draw_goals, hidden_goal, optimum

TOLD, UNCHAINED = "explorer, told", "explorer, told, no chaining"
PEERS: Mapping[str, Agent] = {
    "R-MAX": OptimisticPlanner(known=8.0, discount=0.99),
    "MBIE-EB": OptimisticPlanner(bonus=0.1, discount=0.99),
    "PSRL": PosteriorSampler(prior=0.3, spread=0.01, weight=0.001, discount=0.99),
    "optimistic Q-learning": OptimisticQ(bonus=0.03, horizon=10.0, discount=0.9),
    TOLD: Explorer(sought=1.0, found=0.001),
    UNCHAINED: Explorer(sought=1.0, found=0.001, sweeps=0),
}
"""The methods, each with its one setting; the last one is no peer but what the explorer is without
chains of policies.

The grids: R-MAX m 1 to 32, MBIE-EB beta .01 to 3, both with discounts .97, .99, .997; PSRL
prior .01 to 5, spread .001 to .3, weight .001 to 1, discounts .99 and .997, 50 or 250 steps;
optimistic Q-learning bonus 0 to .3, horizon 1 to 100, discounts .9 to .99; the explorer sought
.03 to 3, found 0 to .05. The best mean shares: .51, .75, .53, .36 and .88; the explorer that is
not told .81.
"""

PLACES = (*TASKS, "hidden goal")
TRIALS, FEWER, GOAL_SEEDS, GOALS = 400, 100, 4, 5
"""Trials of each task, fewer of the methods that take longest (`SLOW`), and hidden goals: the
first of those that the other lines use."""
SLOW = ("PSRL", UNCHAINED)


@dataclass(frozen=True)
class PeerConfig(Settings):
    """One method on one task.

    Attributes:
        method: name of the method.
        place: name of the task, or "hidden goal" for FourRooms with hidden goals.
        peer_trials: number of trials; of hidden goals there are 20.
        peer_steps: number of steps of each trial, a multiple of 50.
    """

    method: Annotated[str, OneOf(tuple(PEERS))]
    place: Annotated[str, OneOf(PLACES)]
    peer_trials: PositiveInt = TRIALS
    peer_steps: PositiveInt = 5_000


def settings(quick: bool) -> list[tuple[PeerConfig, int]]:
    """Return every method on every task; if quick, two methods in few and short trials."""
    if quick:
        return [(PeerConfig(name, "RiverSwim-6", 4, 1_000), 1) for name in ("MBIE-EB", TOLD)]
    return [
        (
            PeerConfig(
                name,
                place,
                FEWER if name in SLOW else TRIALS,
                1_500 if place == "hidden goal" else 5_000,
            ),
            1,
        )
        for place in PLACES
        for name in PEERS
    ]


def row(config: PeerConfig, key: Array) -> Row:
    """Return the row of one method: the total reward of each trial, and the exact optima."""
    if config.place == "hidden goal":
        drawn = [draw_goals(jax.random.key(seed), GOALS)[0] for seed in range(GOAL_SEEDS)]
        mdps = [hidden_goal(int(goal)) for goals in drawn for goal in goals]
        best = [float(optimum(mdp, config.peer_steps)) for mdp in mdps]
    else:
        mdps = [world(config.place)] * config.peer_trials
        best = [float(optimum(mdps[0], config.peer_steps))] * len(mdps)
    # Other random numbers than those of the explorer that is not told.
    rewards = _run(PEERS[config.method], mdps, jax.random.fold_in(key, 3), config.peer_steps)
    return {
        "part": "peer",
        "task": config.place,
        "agent": config.method,
        "steps": config.peer_steps,
        "totals": rewards.sum(axis=1).tolist(),
        "optima": best,
    }


def _run(agent: Agent, mdps: Sequence[MDP], key: Array, num_steps: int) -> np.ndarray:
    if not isinstance(agent, Explorer):
        return np.asarray(trials.run_trials(agent, mdps, key, num_steps=num_steps))
    # All worlds of one task have the same largest reward.
    told = replace(agent, largest=float(mdps[0].reward.max()))
    return np.asarray(explorer_trials.run_trials(told, mdps, key, num_steps=num_steps))
