"""The recordings of de Cothi et al. (2022): 9 rats and 18 humans in 25 layouts of one maze.

The data are not part of this project. The folder that is read has `mazes.json`, `rats.json`,
`humans.json` and `open_maze_transition.json`, converted from the study's public repository: a maze
of 10 x 10 cells, numbered row by row, with -1 for a wall; for each subject, layout and trial the
sequence of cells; and the Markov chain with which the study's SR agent starts.
"""

import json
import os
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.behaviour.subjects import Subjects, Trial, grid_layouts, subjects_from_paths
from first_occupancy.core.errors import InputError

GOAL = 33
"""Cell of the goal: row 3, column 3."""

VARIABLE = "FIRST_OCCUPANCY_DATA"
"""Environment variable that names the folder in which the folder `tartarus` is, by default."""


def data_folder(folder: str, name: str) -> Path:
    """Return the folder that holds recordings.

    Args:
        folder: folder that the user named; "" takes it from the environment.
        name: name of the recordings, which is the folder's below that of the environment.

    Raises:
        InputError: if no folder is named, or there is none of that name.
    """
    if not folder and not os.environ.get(VARIABLE):
        raise InputError(
            f"{name}: folder must name the folder of the recordings, got none; pass folder=... or "
            f"set {VARIABLE} to the folder that contains {name!r}"
        )
    path = Path(folder) if folder else Path(os.environ[VARIABLE]) / name
    if not path.is_dir():
        raise InputError(f"{name}: folder must be an existing folder, got {str(path)!r}")
    return path


def read_json(folder: Path, file: str, key: str) -> Any:
    """Return one entry of a JSON file.

    Args:
        folder: folder of the recordings.
        file: name of the file.
        key: name of the entry.

    Raises:
        InputError: if the file cannot be read, is not JSON, or has no such entry.
    """
    try:
        return json.loads((folder / file).read_text("utf-8"))[key]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder.name}: {file} must be a JSON file with the entry {key!r}, "
            f"got {type(error).__name__}"
        ) from None


def read_subjects(folder: Path, species: str) -> Subjects:
    """Return the choices of the rats or of the humans; trials are cut at the goal.

    Args:
        folder: folder of the recordings.
        species: "rats" or "humans".
    """
    mazes = np.array(read_json(folder, "mazes.json", "mazes"))
    recorded = read_json(folder, f"{species}.json", "subjects")
    paths = {
        f"{species[:-1]} {number + 1}": [
            Trial(layout, path) for layout, trials in enumerate(subject) for path in trials
        ]
        for number, subject in enumerate(recorded)
    }
    return subjects_from_paths(grid_layouts(mazes != -1, goal=GOAL), paths)


def read_open_chain(folder: Path) -> Float[Array, "S S"]:
    """Return the Markov chain with which the study's SR agent starts."""
    return jnp.asarray(read_json(folder, "open_maze_transition.json", "transition"), float)
