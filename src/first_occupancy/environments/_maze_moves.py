"""Where the moves of a maze lead: walls, corners between walls, and one-way cells."""

import numpy as np
from jaxtyping import Bool, Int

Moves = tuple[tuple[str, tuple[int, int]], ...]
"""Actions in order, each a name and a (row, column) step."""

FORBID, STRICT, ALLOW = CORNERS = ("forbid", "strict", "allow")
"""Rules for diagonal moves: blocked between two walls, past any wall, or only by their target."""


def numbered_cells(free: Bool[np.ndarray, "rows columns"]) -> Int[np.ndarray, "rows columns"]:
    """Return the state of every cell, -1 for walls."""
    return np.where(free, np.cumsum(free, dtype=np.int32).reshape(free.shape) - 1, -1)


def move_targets(
    free: Bool[np.ndarray, "rows columns"],
    floor: Bool[np.ndarray, "rows columns"],
    moves: Moves,
    corners: str,
    exits: Int[np.ndarray, " S"] | None,
) -> Int[np.ndarray, "A S"]:
    """Return the state to which each move leads from each state; a blocked move stays in place.

    Args:
        corners: rule for diagonal moves, one of `CORNERS`.
        exits: the only move by which each state can be left, -1 for any; None if all are -1.
    """
    margin = max(abs(step) for _, cell in moves for step in cell)
    numbers = np.pad(np.where(floor, numbered_cells(free), -1), margin, constant_values=-1)
    here = np.arange(int(free.sum()), dtype=np.int32)
    closed = None if floor is free else ~floor[free]
    targets = np.empty((len(moves), len(here)), np.int32)
    for action, (_, (down, right)) in enumerate(moves):
        there = _shifted(numbers, free.shape, margin, down, right)[free]
        blocked = there < 0
        if corners != ALLOW and abs(down) == abs(right) == 1:
            beside = _shifted(numbers, free.shape, margin, down, 0)[free] < 0
            across = _shifted(numbers, free.shape, margin, 0, right)[free] < 0
            blocked |= beside & across if corners == FORBID else beside | across
        if closed is not None:
            blocked |= closed
        if exits is not None:
            blocked |= (exits >= 0) & (exits != action)
        targets[action] = np.where(blocked, here, there)
    return targets


def _shifted(
    padded: Int[np.ndarray, "R C"], shape: tuple[int, ...], margin: int, down: int, right: int
) -> Int[np.ndarray, "rows columns"]:
    """Return, for every cell, the entry of the cell that is a step away."""
    top, left = margin + down, margin + right
    return padded[top : top + shape[0], left : left + shape[1]]
