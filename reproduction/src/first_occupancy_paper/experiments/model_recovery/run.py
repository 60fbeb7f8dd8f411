"""Subjects simulated from eight models, and fits of all eight to each of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool

from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.models import (
    Model,
    habit_model,
    model_based,
    planning_model,
    q_model,
    successor_model,
)
from first_occupancy.behaviour.planned_values import PlannedValues
from first_occupancy.behaviour.recovery import recover
from first_occupancy.behaviour.simulation import Starts
from first_occupancy.behaviour.subjects import Layouts, grid_layouts
from first_occupancy.behaviour.switch_distances import steps_to_goal
from first_occupancy.core.arguments import NonNegativeInt, PositiveInt
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import Settings

SIDE, GOAL = 10, 33
"""Cells along a side, and the goal: those of the Tartarus maze."""

WALLS = 30
"""Cells that are walls in each layout but the first one, which is open."""

CENTRES = {"discount": 0.85, "inverse_temperature": 15.0, "step_size": 0.3}
"""Medians of the simulated subjects' parameters: discount and temperature as of planners fitted to
rats. An SR fitted to rats has a lower inverse temperature (6) and learns faster (.57)."""


@dataclass(frozen=True)
class Config(Settings):
    """How many subjects, and how much each of them does.

    Attributes:
        subjects: number of subjects simulated from each model.
        layouts: number of layouts that each subject meets.
        trials: number of trials in each layout.
        moves: largest number of moves in a trial.
        starts: number of starts per fit.
        world: seed of the layouts and of the first cells of trials.
    """

    subjects: PositiveInt = 25
    layouts: PositiveInt = 12
    trials: PositiveInt = 10
    moves: PositiveInt = 30
    starts: PositiveInt = 2
    world: NonNegativeInt = 0


def all_configs(folder: str = "") -> list[Config]:
    """Return the standard settings, which need no recordings."""
    del folder
    return [Config()]


def candidates(layouts: Layouts) -> list[Model]:
    """Return the models, each of which makes choices and is fitted to those of all."""
    turning = Softmax(turns=len(layouts.turn_names))
    return [
        habit_model(layouts),
        q_model(),
        successor_model(),
        planning_model(0),
        planning_model(1),
        planning_model(3),
        model_based(),
        Model("model-based, turning", PlannedValues(), turning),
    ]


def random_layouts(number: int, seed: int) -> Bool[np.ndarray, "L rows columns"]:
    """Return an open layout and others with random walls, all with ways to the goal."""
    rng, found = np.random.default_rng(seed), [np.ones((SIDE, SIDE), bool)]
    open_world = grid_layouts(found[0][None], goal=GOAL)
    while len(found) < number:
        free = np.ones(SIDE * SIDE, bool)
        free[rng.choice(np.setdiff1d(np.arange(SIDE**2), GOAL), WALLS, replace=False)] = False
        steps = steps_to_goal(open_world, jnp.asarray(free))
        # Cells that walls enclose become walls, unless they are most of the layout.
        reached = free & np.isfinite(np.asarray(steps))
        if reached.sum() > SIDE**2 / 2:
            found.append(reached.reshape(SIDE, SIDE))
    return np.stack(found)


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each model: who wins on the choices that it made, and its parameters.

    Args:
        seed: seed of parameters, choices and starts.
    """
    free = random_layouts(config.layouts, config.world)
    layouts, rng = grid_layouts(free, goal=GOAL), np.random.default_rng(config.world)
    where = np.repeat(np.arange(config.layouts), config.trials)
    cells = [np.setdiff1d(np.flatnonzero(each), GOAL) for each in free]
    begins = [[rng.choice(cells[layout]) for layout in where] for _ in range(config.subjects)]
    found = recover(
        candidates(layouts),
        layouts,
        Starts(np.array(begins), np.tile(where, (config.subjects, 1))),
        jax.random.key(seed),
        num_moves=config.moves,
        num_starts=config.starts,
        centres=CENTRES,
    )
    for name, wins, known in zip(found.names, found.wins, found.correlations, strict=True):
        yield {
            "made_by": name,
            "subjects": config.subjects,
            "wins": dict(zip(found.names, wins.tolist(), strict=True)),
            "correlations": {each: round(value, 4) for each, value in known.items()},
        }
