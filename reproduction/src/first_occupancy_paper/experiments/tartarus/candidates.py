"""The models that are fitted to the recordings, by name.

The recordings of de Cothi et al. (2022): 9 rats and 18 humans in 25 layouts of one maze.

The data are not part of this project. The folder that is read has `mazes.json`, `rats.json`,
`humans.json` and `open_maze_transition.json`, converted from the study's public repository: a maze
of 10 x 10 cells, numbered row by row, with -1 for a wall; for each subject, layout and trial the
sequence of cells; and the Markov chain with which the study's SR agent starts.
"""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.learned_values import OccupancyValues, QValues
from first_occupancy.behaviour.models import Model
from first_occupancy.behaviour.planned_values import Mixture, PlannedValues
from first_occupancy.behaviour.subjects import Subjects, Trial, grid_layouts, subjects_from_paths
from first_occupancy.behaviour.valuations import NoValues

from ..recordings import read_json

GOAL = 33
"""Cell of the goal: row 3, column 3."""


def read_subjects(folder: Path, species: str) -> Subjects:
    """Return the choices of the rats or of the humans; trials are cut at the goal."""
    mazes = np.array(read_json(folder, "mazes.json", "mazes"))
    recorded = read_json(folder, f"{species}.json", "subjects")
    paths = {
        f"{species[:-1]} {number + 1}": [
            Trial(layout, path) for layout, trials in enumerate(subject) for path in trials
        ]
        for number, subject in enumerate(recorded)
    }
    return subjects_from_paths(grid_layouts(mazes != -1, goal=GOAL), paths, ends_at_goal=True)


def read_open_chain(folder: Path) -> Float[Array, "S S"]:
    """Return the Markov chain with which the study's SR agent starts."""
    return jnp.asarray(read_json(folder, "open_maze_transition.json", "transition"), float)


SWITCHES = (0, 1, 2, 3, 5, 9)
"""Numbers of switches K for which FRP is fitted."""

PLANNERS = tuple(f"FRP, K = {switches}" for switches in SWITCHES)
"""Names of the models with at most K switches."""

NUM_TURNS = 4
"""Kinds of turns: straight on, right, back, left."""


def candidates(chain: Float[Array, "S S"] | None) -> dict[str, Model]:
    """Return the models by name.

    Args:
        chain: Markov chain from which an SR starts, `read_open_chain`; None for a random walk.
    """
    fixed, fitted, turning = Softmax(inverse_temperature=1.0), Softmax(), Softmax(turns=NUM_TURNS)
    successor = OccupancyValues(1.0, initial_chain=chain)
    parts = {
        "random walk": (NoValues(), fixed),
        "model-free, published": (QValues(of_neighbours=True, value_of_goal=0.0), fixed),
        "model-based, published": (PlannedValues(extra_steps=1), fixed),
        "SR, published": (successor, fixed),
        "turning biases": (NoValues(), Softmax(inverse_temperature=1.0, turns=NUM_TURNS)),
        "Q-learning": (QValues(), fitted),
        "SR": (successor, fitted),
        "FR": (OccupancyValues(0.0, initial_chain=chain), fitted),
        "SR with traces": (OccupancyValues(1.0, traces=True, initial_chain=chain), fitted),
        **{f"FRP, K = {switches}": (PlannedValues(switches), fitted) for switches in SWITCHES},
        "model-based": (PlannedValues(), fitted),
        "SR + FRP, K = 9": (Mixture(successor, PlannedValues(9)), fitted),
        "FRP, K = 9, turning": (PlannedValues(9), turning),
        "SR, turning": (successor, turning),
    }
    return {name: Model(name, valuation, choice) for name, (valuation, choice) in parts.items()}


CANDIDATES = tuple(candidates(None))

PUBLISHED = {
    "random walk": {"rats": -55_452, "humans": -87_581},
    "model-free, published": {"rats": -54_488, "humans": -85_082},
    "model-based, published": {"rats": -53_889, "humans": -83_734},
    "SR, published": {"rats": -53_650, "humans": -83_151},
}
"""The study's models, with inverse temperature 1, and its sums of log-likelihoods in nats."""

SIMULATED = ("SR", "FRP, K = 9", "FRP, K = 9, turning")
"""Models whose simulated subjects are compared with the recorded ones."""

BEST = "FRP, K = 9, turning"
"""The model with the largest held-out likelihood, whose simulated subjects are judged."""

PAIRS = (
    ("turning biases", "FRP, K = 9"),
    ("SR", "FRP, K = 9"),
    ("turning biases", "SR"),
)
"""Pairs of models whose disagreements are looked at."""
