"""Subjects simulated in mazes of 8 x 8 cells, for the tests of fits."""

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.behaviour.models import of_chosen
from first_occupancy.behaviour.simulation import Starts, simulate
from first_occupancy.behaviour.subjects import grid_layouts

GOAL = 18
FREE = np.ones((4, 8, 8), bool)
FREE[1, 4, 1:7] = False
FREE[2, 1:7, 4] = False
FREE[3, 3, 0:4] = False
FREE[3, 1:4, 5] = False
LAYOUTS = grid_layouts(FREE, goal=GOAL)


def starts(num_subjects, num_trials, seed=0):
    """Return trials that begin in random free cells other than the goal."""
    rng = np.random.default_rng(seed)
    layouts = np.tile(np.arange(num_trials) * len(FREE) // num_trials, (num_subjects, 1))
    cells = np.flatnonzero(FREE.all(axis=0).reshape(-1))
    states = rng.choice(cells[cells != GOAL], layouts.shape)
    return Starts(states, layouts)


def simulated(model, values, *, num_subjects=3, num_trials=40, num_moves=40, seed=0):
    """Return simulated subjects."""
    begins = starts(num_subjects, num_trials, seed)
    key = jax.random.key(seed)
    return simulate(model, values, LAYOUTS, begins, key, num_moves=num_moves)


def log_likelihoods(model, values, subjects):
    """Return the summed log-likelihood of each subject's choices, in nats."""
    chosen = of_chosen(model.log_probabilities(values, subjects), subjects.choices)
    return jnp.where(subjects.choices.counted, chosen, 0.0).sum(axis=-1)
