"""The worlds in which rewards are collected, and where rewards and starts are."""

import numpy as np
from jaxtyping import Bool, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from first_occupancy.environments import Maze, four_rooms, maze


def drawn_world(name: str, noise: float, rng: np.random.Generator) -> Maze:
    """Return FourRooms, a maze of 15 x 15 cells or a map of 30 x 30 with obstacles."""
    if name == "four_rooms":
        return four_rooms(noise=noise)
    free = _corridors(rng) if name == "maze" else rng.random((30, 30)) >= 0.2
    return maze(["".join("." if cell else "#" for cell in row) for row in free], noise=noise)


def _corridors(rng: np.random.Generator) -> Bool[np.ndarray, "15 15"]:
    """Return a maze without circles, and then a tenth of its inner walls opened."""
    free, stack = np.zeros((15, 15), bool), [(1, 1)]
    free[1, 1] = True
    while stack:
        row, column = stack[-1]
        ways = [(row + 2 * y, column + 2 * x) for y, x in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        ways = [(y, x) for y, x in ways if 0 < y < 15 and 0 < x < 15 and not free[y, x]]
        if not ways:
            stack.pop()
            continue
        y, x = ways[rng.integers(len(ways))]
        free[y, x] = free[(row + y) // 2, (column + x) // 2] = True
        stack.append((y, x))
    inner = np.zeros_like(free)
    inner[1:-1, 1:-1] = True
    return free | (inner & (rng.random(free.shape) < 0.1))


def drawn_places(world: Maze, count: int, rng: np.random.Generator) -> Int[np.ndarray, " K"]:
    """Return a start and places of rewards in the largest part of a world that is connected."""
    size = world.num_states
    begins = np.tile(np.arange(size), len(world.next_states))
    ends = world.next_states.ravel()
    _, parts = connected_components(csr_array((np.ones(len(ends)), (begins, ends)), (size, size)))
    largest = np.flatnonzero(parts == np.bincount(parts).argmax())
    return rng.choice(largest, count + 1, replace=False)
