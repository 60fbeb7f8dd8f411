"""Worlds for the benchmarks: mazes with random walls, of which the largest part stays."""

import numpy as np
from scipy import ndimage, sparse

from first_occupancy.environments import Maze, maze
from first_occupancy.environments.mazes import EIGHT_MOVES, FOUR_MOVES
from first_occupancy.planning.paths import PathGraph


def random_maze(side: int, *, walls: float = 0.2, moves: int = 4, seed: int = 0) -> Maze:
    """Return a square maze with a share of walls; cells cut off from most others become walls."""
    free = np.random.default_rng(seed).random((side, side)) >= walls
    neighbours = np.ones((3, 3)) if moves == 8 else None
    parts, _ = ndimage.label(free, structure=neighbours)
    largest = np.bincount(parts[parts > 0]).argmax()
    drawn = np.where(parts == largest, ".", "#")
    return maze(["".join(row) for row in drawn], moves=EIGHT_MOVES if moves == 8 else FOUR_MOVES)


def backwards_of(graph: PathGraph) -> sparse.csr_array:
    """Return the reversed moves of a prepared graph as the matrix that SciPy searches."""
    starts, behind = graph.backwards
    return sparse.csr_array((np.ones(len(behind)), behind, starts))
