"""The labyrinth of Rosenberg et al. (2021), and bouts of mice in it.

The maze is a binary tree of six levels: node 0 is the first junction, the children of junction n
are 2n + 1 and 2n + 2, nodes 63 to 126 are dead ends, and 127 is the exit to the home cage, next to
node 0. The data are not part of this project. A session is a JSON file with `bouts`, each of which
has the sequence of `nodes` that were entered.

Four actions: up from a left child, down to the left, down to the right, up from a right child. So
the previous action tells from which branch a mouse comes, and turning biases are biases of pairs of
actions.
"""

from pathlib import Path

import jax.numpy as jnp
import numpy as np

from first_occupancy.behaviour.subjects import Layouts, Subjects, Trial, subjects_from_paths

from ..recordings import read_json

EXIT, WATER, NUM_NODES = 127, 116, 128
UP_FROM_LEFT, LEFT, RIGHT, UP_FROM_RIGHT = range(4)
TURNS = ("back", "repeat", "alternate", "other branch", "stem")
"""Kinds of turns: back; after coming down, the last turn again or the other one; after coming up,
the other branch or the stem."""


def tree_layouts(goal: int) -> Layouts:
    """Return the labyrinth with a goal, such as the exit or the water port."""
    following = np.tile(np.arange(NUM_NODES)[:, None], (1, 4))
    for node in range(1, EXIT):
        up = UP_FROM_LEFT if node % 2 else UP_FROM_RIGHT
        following[node, up] = (node - 1) // 2
        following[(node - 1) // 2, LEFT if node % 2 else RIGHT] = node
    following[0, UP_FROM_LEFT], following[EXIT, LEFT] = EXIT, 0
    turns = np.zeros((4, 4), int)
    for before in (LEFT, RIGHT):
        turns[before, [LEFT, RIGHT]] = TURNS.index("alternate")
        turns[before, before] = TURNS.index("repeat")
    for before, back, other in ((UP_FROM_LEFT, LEFT, RIGHT), (UP_FROM_RIGHT, RIGHT, LEFT)):
        turns[before] = TURNS.index("stem")
        turns[before, [back, other]] = 0, TURNS.index("other branch")
    free = jnp.ones((1, NUM_NODES), bool)
    return Layouts(jnp.asarray(following), free, goal, jnp.asarray(turns), TURNS)


def read_session(folder: Path, session: str) -> Subjects:
    """Return the choices of one mouse in one session, bout by bout; the goal is the exit.

    Args:
        folder: folder of the recordings.
        session: name of the session, such as "D9a".
    """
    bouts = read_json(folder, f"{session}.json", "bouts")
    trials = [Trial(0, bout["nodes"]) for bout in bouts]
    return subjects_from_paths(tree_layouts(EXIT), {session: trials}, ends_at_goal=False)
