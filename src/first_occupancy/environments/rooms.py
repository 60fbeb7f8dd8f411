"""The paper's rooms: FourRooms, the escape arena, and the small room of its figures."""

from typing import Annotated

import numpy as np

from first_occupancy.core.arguments import Limits, Share, check_arguments
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


@check_arguments
def four_rooms(noise: Share = 0.0) -> Maze:
    """Return FourRooms: 68 cells, four doors, start at the bottom left; a bump costs 1.

    Args:
        noise: probability, from 0 to 1, that a uniformly random move replaces the chosen one.
    """
    return maze(FOUR_ROOMS, noise=noise, bump_cost=1.0)


@check_arguments
def escape_arena(size: Annotated[int, Limits(least=5)] = 25, barrier: bool = True) -> Maze:
    """Return the arena of the escape task: threat at the top, shelter (goal) at the bottom.

    There are eight moves.

    Args:
        size: rows and columns of the square arena, outer walls included; at least 5.
        barrier: whether a wall on the middle row, half the arena's width, is in the way.

    Raises:
        InputError: if `size` is not a whole number, or below 5.
    """
    letters = np.full((size, size), WALL)
    letters[1:-1, 1:-1] = "."
    middle = size // 2
    if barrier:
        side = max(size // 4, 2)  # symmetric about the start, with a way round on both sides
        letters[middle, side : size - side] = WALL
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
    """Return the paper's 4 x 4 room.

    The start s0 is at the bottom left, the goal s_g above and right of the middle.
    """
    return maze(SMALL_ROOM)
