"""The recordings of de Cothi et al. (2022): 9 rats and 18 humans in 25 layouts of one maze.

The data are not part of this project. The folder that is read has `mazes.json`, `rats.json`,
`humans.json` and `open_maze_transition.json`, converted from the study's public repository: a maze
of 10 x 10 cells, numbered row by row, with -1 for a wall; for each subject, layout and trial the
sequence of cells; and the Markov chain with which the study's SR agent starts.
"""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.behaviour.subjects import Subjects, Trial, grid_layouts, subjects_from_paths
from first_occupancy_paper.experiments.recordings import read_json

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
