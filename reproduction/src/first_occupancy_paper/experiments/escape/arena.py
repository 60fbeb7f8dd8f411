"""The arena with and without its barrier, with one numbering of the cells.

States number the cells of the arena *without* barrier, so that an FR learned before the barrier
is put up keeps its meaning afterwards. The barrier's own cells are then never entered.
"""

from functools import cache

import numpy as np
from jaxtyping import Int

from first_occupancy.environments import EIGHT_MOVES, Maze, escape_arena

NAMES = [name for name, _ in EIGHT_MOVES]
DOWN = NAMES.index("down")


@cache
def arena(size: int, barrier: bool) -> Maze:
    """Return the arena; the one without barrier defines the numbers of the states.

    Args:
        size: number of cells along each side, including the outer wall.
        barrier: whether the barrier is up.
    """
    return escape_arena(size, barrier=barrier)


@cache
def next_states(size: int, barrier: bool) -> Int[np.ndarray, "A S"]:
    """Return the state that each move leads to; a move into the barrier stays where it is.

    Args:
        size: number of cells along each side, including the outer wall.
        barrier: whether the barrier is up.
    """
    empty = arena(size, False)
    barred = empty.with_walls(np.argwhere(empty.free & ~arena(size, barrier).free))
    # The integer type that JAX uses for states, because loops carry them.
    return barred.next_states.astype(int)


@cache
def ends(size: int) -> tuple[int, int]:
    """Return the start (the threat) and the shelter."""
    empty = arena(size, False)
    assert empty.start is not None
    return empty.start, empty.goals[0]


def above_barrier(size: int) -> int:
    """Return the cell where 'down' from the start meets the barrier."""
    return arena(size, False).state(size // 2 - 1, size // 2)


def past_barrier(size: int, states: list[int]) -> bool:
    """Return whether a walk from the top gets below the barrier's row.

    Args:
        size: number of cells along each side, including the outer wall.
        states: states of the walk.
    """
    rows = arena(size, False).cells[states, 0]
    return bool((rows > size // 2).any())


def moves_by_preference(side: int) -> list[int]:
    """Return the moves from 'down' to 'up', the given side (0 left, 1 right) first."""
    near, far = ("left", "right") if side == 0 else ("right", "left")
    names = ["down", f"down-{near}", f"down-{far}", near, far, f"up-{near}", f"up-{far}", "up"]
    return [NAMES.index(name) for name in names]
