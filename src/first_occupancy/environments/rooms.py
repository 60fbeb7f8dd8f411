"""The paper's rooms: FourRooms, the escape arena, and the small room of its figures."""

from numbers import Integral

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.environments.drawings import GOAL, START, WALL
from first_occupancy.environments.mazes import EIGHT_MOVES, Maze, maze

FOUR_ROOMS = """
###########
#....#....#
#.........#
#....#....#
#....#....#
#.#####.###
#....#....#
#....#....#
#.........#
#S...#....#
###########
"""


def four_rooms(noise: float = 0.0) -> Maze:
    """Return FourRooms: 68 cells, four doors, start at the bottom left; a bump costs 1.

    With probability `noise` a uniformly random one of the four moves happens instead.
    """
    return maze(FOUR_ROOMS, noise=noise, bump_cost=1.0)


def escape_arena(size: int = 25, barrier: bool = True) -> Maze:
    """Return the arena of the escape task: threat at the top, shelter (goal) at the bottom.

    The square includes its outer wall. The barrier stands on the middle row and spans
    half the width. Eight moves.
    """
    if not isinstance(size, Integral):
        raise InputError(f"escape_arena: size must be a whole number, got {size!r}")
    if size < 5:
        raise InputError(f"escape_arena: size must be at least 5, got {size}")
    letters = np.full((size, size), WALL)
    letters[1:-1, 1:-1] = "."
    middle = size // 2
    if barrier:
        letters[middle, size // 4 : 3 * size // 4] = WALL
    letters[1, middle], letters[-2, middle] = START, GOAL
    return maze(["".join(row) for row in letters], moves=EIGHT_MOVES)


SMALL_ROOM = """
######
#....#
#..G.#
#....#
#S...#
######
"""


def small_room() -> Maze:
    """Return the paper's 4 x 4 room: s0 at the bottom left, s_g above and right of the middle."""
    return maze(SMALL_ROOM)
