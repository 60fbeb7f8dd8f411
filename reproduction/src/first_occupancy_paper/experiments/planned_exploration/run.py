"""Trials of the explorer: the paper's tasks, ablations of its rule, and hidden goals.

Seeds are those of the results store, 0 to 9 by default. The rule was chosen on random worlds of
other sizes and transition probabilities, with other keys.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import jax
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core import MDP
from first_occupancy.core.arguments import Limits, PositiveInt
from first_occupancy_paper.explorers import sarsa
from first_occupancy_paper.explorers.explorer import Explorer
from first_occupancy_paper.explorers.explorer_trials import run_trials
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import OneOf, Settings

from ..exploration.protocols import world
from . import peers
from .peers import PeerConfig
from .variants import (
    ABLATED,
    ABLATIONS,
    SARSAS,
    TASKS,
    WHOLE,
    Task,
    draw_goals,
    hidden_goal,
    optimum,
)

SEEDS, TRIALS = 5, 40
"""200 trials of each task. All jobs have one size, so that each process compiles a task once."""
GOAL_SEEDS, UNPLANNED_GOAL_SEEDS, GOALS = 8, 3, 5
"""40 hidden goals, and 15 of them again without planning; FourRooms is slow to plan in."""
MOST_GOALS = 67
"""Number of FourRooms' cells without the start."""
CURVE_POINTS = 50


@dataclass(frozen=True)
class Config(Settings):
    """One task with one variant of the rule.

    Attributes:
        task: name of the task.
        variant: the whole rule, or an ablation.
        trials: number of trials.
        steps: number of steps of each trial.
    """

    task: Task
    variant: Annotated[str, OneOf((WHOLE, *ABLATIONS))] = WHOLE
    trials: PositiveInt = TRIALS
    steps: PositiveInt = 5_000


@dataclass(frozen=True)
class HiddenGoalConfig(Settings):
    """FourRooms with hidden goals, the same for all agents of a seed.

    Attributes:
        planning: whether the explorer plans; if so, Sarsa is run too.
        goals: number of hidden goals, each in a world of its own.
        goal_steps: number of steps in each world.
    """

    planning: bool = True
    goals: Annotated[int, Limits(least=1, most=MOST_GOALS)] = GOALS
    goal_steps: PositiveInt = 1_500


def settings(quick: bool) -> Sequence[tuple[Config | HiddenGoalConfig | PeerConfig, int]]:
    """Return tasks with 200 trials, ablations with 40; if quick, few and short trials."""
    if quick:
        small = {"trials": 4, "steps": 1_000}
        whole = [(Config(task, **small), 1) for task in ("SixArms", "RiverSwim-6")]
        unplanned = (Config("RiverSwim-6", "no planning", **small), 1)
        return [*whole, unplanned, *peers.settings(quick)]
    return [
        *((Config(task), SEEDS) for task in TASKS),
        (HiddenGoalConfig(), GOAL_SEEDS),
        (HiddenGoalConfig(planning=False), UNPLANNED_GOAL_SEEDS),
        *((Config(task, variant), 1) for task in ABLATED for variant in ABLATIONS),
        *peers.settings(quick),
    ]


def run(config: Config | HiddenGoalConfig | PeerConfig, seed: int) -> Iterator[Row]:
    """Yield a row for each agent: the total rewards of its trials, and the exact optimum."""
    key = jax.random.key(seed)
    if isinstance(config, HiddenGoalConfig):
        yield from _seek_hidden_goals(config, key)
    elif isinstance(config, PeerConfig):
        yield peers.row(config, key)
    else:
        yield _explore(config, key)


def _explore(config: Config, key: Array) -> Row:
    changes = dict(ABLATIONS.get(config.variant, {}))
    scale = changes.pop("reward_scale", 1.0)
    mdp = world(config.task)
    scaled = MDP(mdp.transition, mdp.reward * scale, mdp.start_distribution)
    agent = Explorer(**changes)
    rewards = run_trials(agent, [scaled] * config.trials, key, num_steps=config.steps)
    rewards = np.asarray(rewards) / scale
    # Short trials have a point at each step, and none has one at step 0.
    ends = np.unique(np.linspace(0, config.steps, CURVE_POINTS + 1).astype(int))[1:]
    return {
        "part": "task" if config.variant == WHOLE else "ablation",
        "task": config.task,
        "variant": config.variant,
        "steps": config.steps,
        "optimum": float(optimum(mdp, config.steps)),
        "totals": rewards.sum(axis=1).tolist(),
        "first_best": _first_best(rewards, float(mdp.reward.max())),
        "curve_steps": ends.tolist(),
        "curve": rewards.cumsum(axis=1)[:, ends - 1].mean(axis=0).tolist(),
    }


def _first_best(rewards: Float[np.ndarray, "B T"], best: float) -> list[int]:
    """Return the first step of each trial with the world's best reward, or T if there is none."""
    # Scaling rewards and scaling them back may change their last digit.
    got = rewards >= best * (1 - 1e-9)
    return np.where(got.any(axis=1), got.argmax(axis=1), rewards.shape[1]).tolist()


def _seek_hidden_goals(config: HiddenGoalConfig, key: Array) -> Iterator[Row]:
    goals, walk_key = draw_goals(key, config.goals)
    mdps = [hidden_goal(int(goal)) for goal in goals]
    agent = Explorer() if config.planning else Explorer(sweeps=0)
    rewards = run_trials(agent, mdps, walk_key, num_steps=config.goal_steps)
    name = "explorer" if config.planning else "explorer, no planning"
    totals = {name: np.asarray(rewards).sum(axis=1).tolist()}
    if config.planning:
        totals |= _sarsa_totals(mdps, walk_key, config.goal_steps)
    best = [float(optimum(mdp, config.goal_steps)) for mdp in mdps]
    for name, found in totals.items():
        yield {
            "part": "hidden_goal",
            "agent": name,
            "steps": config.goal_steps,
            "goals": goals.tolist(),
            "totals": found,
            "optima": best,
        }


def _sarsa_totals(mdps: Sequence[MDP], key: Array, num_steps: int) -> dict[str, list[float]]:
    """Return the total reward of a trial in each world, for each Sarsa agent."""
    keys = jax.random.split(key, len(mdps))
    size = {"num_trials": 1, "num_steps": num_steps}
    return {
        name: [
            float(sarsa.run_trials(agent, mdp, own, **size).sum())
            for mdp, own in zip(mdps, keys, strict=True)
        ]
        for name, agent in SARSAS.items()
    }
