"""The models that are fitted to the recordings, by name.

The recordings of de Cothi et al. (2022): 9 rats and 18 humans in 25 layouts of one maze.

The data are not part of this project. The folder that is read has `mazes.json`, `rats.json`,
`humans.json` and `open_maze_transition.json`, converted from the study's public repository: a maze
of 10 x 10 cells, numbered row by row, with -1 for a wall; for each subject, layout and trial the
sequence of cells; and the Markov chain with which the study's SR agent starts.
"""

from collections.abc import Callable
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.learned_values import OccupancyValues, QValues
from first_occupancy.behaviour.models import (
    Model,
    first_occupancy_model,
    habit_model,
    mixture_model,
    planning_model,
    random_walk,
    successor_model,
)
from first_occupancy.behaviour.planned_values import PlannedValues
from first_occupancy.behaviour.subjects import (
    Layouts,
    Subjects,
    Trial,
    grid_layouts,
    subjects_from_paths,
)

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

Maker = Callable[[Layouts, Float[Array, "S S"]], Model]


def _planner(switches: int) -> Maker:
    return lambda layouts, chain: planning_model(switches)


def _turning(name: str, model: Model, layouts: Layouts) -> Model:
    """Return a model with a bias for each kind of turn in addition."""
    return Model(name, model.valuation, Softmax(turns=len(layouts.turn_names)))


FIXED = Softmax(inverse_temperature=1.0)

PUBLISHED: dict[str, Maker] = {
    "random walk": lambda layouts, chain: random_walk(),
    "model-free, published": lambda layouts, chain: Model(
        "model-free, published", QValues(True, 0.0), FIXED
    ),
    "model-based, published": lambda layouts, chain: Model(
        "model-based, published", PlannedValues(None, 1), FIXED
    ),
    "SR, published": lambda layouts, chain: Model(
        "SR, published", OccupancyValues(1.0, False, chain), FIXED
    ),
}
"""The study's models, with inverse temperature 1."""

OURS: dict[str, Maker] = {
    "turning biases": lambda layouts, chain: habit_model(layouts),
    "Q-learning": lambda layouts, chain: Model("Q-learning", QValues(), Softmax()),
    "SR": lambda layouts, chain: successor_model(initial_chain=chain),
    "FR": lambda layouts, chain: first_occupancy_model(initial_chain=chain),
    "SR with traces": lambda layouts, chain: Model(
        "SR with traces", OccupancyValues(1.0, True, chain), Softmax()
    ),
    **{f"FRP, K = {switches}": _planner(switches) for switches in SWITCHES},
    "model-based": lambda layouts, chain: Model("model-based", PlannedValues(), Softmax()),
    "SR + FRP, K = 9": lambda layouts, chain: mixture_model(
        successor_model(initial_chain=chain), planning_model(9)
    ),
    "FRP, K = 9, turning": lambda layouts, chain: _turning(
        "FRP, K = 9, turning", planning_model(9), layouts
    ),
    "SR, turning": lambda layouts, chain: _turning(
        "SR, turning", successor_model(initial_chain=chain), layouts
    ),
}
"""Models with fitted temperature."""

CANDIDATES = PUBLISHED | OURS

PAIRS = (
    ("turning biases", "FRP, K = 9"),
    ("SR", "FRP, K = 9"),
    ("turning biases", "SR"),
)
"""Pairs of models whose disagreements are looked at."""
