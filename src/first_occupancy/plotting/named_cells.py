"""Mazes read off the names of their states.

Plans and representations do not keep the world that they are of. Those made in a maze have its
cells as names, "(row, column)", which say where the floor is, and often its moves as names of the
policies. That is enough to draw them without naming the maze again, even after they were saved.
"""

import re
from collections.abc import Sequence

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.environments.drawings import WALL
from first_occupancy.environments.mazes import EIGHT_MOVES, FOUR_MOVES, Maze, maze

_CELL = re.compile(r"\((\d{1,5}), (\d{1,5})\)")

LARGEST = 4_000_000
"""Cells of a drawing up to which a maze is made of names."""


def maze_of(
    world: object,
    num_states: int,
    state_names: Sequence[str] | None,
    policy_names: Sequence[str] | None = None,
) -> Maze | None:
    """Return the maze to draw a record over, or None if there is none."""
    if world is None:
        return maze_of_names(state_names, policy_names)
    if not isinstance(world, Maze):
        raise InputError(f"plot: world must be a Maze, got {type(world).__name__}")
    if world.num_states != num_states:
        raise InputError(
            f"plot: world must have the {num_states} states of what is drawn, "
            f"got a maze with {world.num_states}"
        )
    return world


def maze_of_names(
    state_names: Sequence[str] | None, policy_names: Sequence[str] | None = None
) -> Maze | None:
    """Return the maze whose states have these names, or None if they are not those of a maze.

    >>> print(maze_of_names(["(1, 1)", "(1, 2)", "(2, 2)"]).drawing)
    ####
    #..#
    ##.#
    ####

    Walls that were added by `Maze.with_walls` are floor here, which no policy leads to.
    """
    found = [_CELL.fullmatch(name) for name in state_names or ()]
    if not found or not all(found):
        return None
    cells = np.array([[int(part) for part in each.groups()] for each in found if each])
    # As a maze has it, walls on the upper left are walls on the lower right.
    rows, columns = cells.max(axis=0) + 1 + (cells.min(axis=0) > 0)
    numbers = cells[:, 0] * columns + cells[:, 1]
    if (np.diff(numbers) <= 0).any() or rows * columns > LARGEST:
        return None
    letters = np.full((rows, columns), WALL)
    letters[cells[:, 0], cells[:, 1]] = "."
    steps = dict(EIGHT_MOVES)
    named = policy_names if policy_names and set(policy_names) <= steps.keys() else ()
    moves = tuple((name, steps[name]) for name in named)
    # Whatever the rule for corners was, a plan takes no blocked move; "allow" blocks none of them.
    return maze(["".join(row) for row in letters], moves=moves or FOUR_MOVES, corners="allow")
