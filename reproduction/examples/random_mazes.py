"""The experiment of the tutorial on sweeps: plans in random mazes."""

from dataclasses import dataclass

import numpy as np

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy_paper.experiments import Experiment


@dataclass(frozen=True)
class Config:
    """The mazes: their side, and which share of the cells is wall."""

    size: int = 20
    walls: float = 0.2


def run(config, seed):
    """Yield one row: the legs and steps of a plan between random cells of a random maze."""
    rng = np.random.default_rng(seed)
    letters = np.where(rng.random((config.size, config.size)) < config.walls, "#", ".")
    letters[0, 0] = "."  # a maze needs a free cell
    world = fo.maze(["".join(line) for line in letters])
    plan = planning.plan_paths(world.next_states, rng.integers(world.num_states), discount=0.95)
    # NumPy here, since JAX would compile for every number of states.
    steps = np.asarray(plan.log_promised) / np.log(0.95)
    start = int(rng.choice(np.flatnonzero(np.isfinite(steps))))
    yield {"legs": len(plan.legs(start)), "steps": round(steps[start])}


MAZES = Experiment(name="random_mazes", config=Config, run=run)
