"""Where moves lead: walls, corners between walls, one-way cells, and noise."""

import numpy as np
from jaxtyping import Bool, Int
from scipy.sparse import csr_array

Moves = tuple[tuple[str, tuple[int, int]], ...]
"""Actions in order, each a name and a (row, column) step."""

FORBID, STRICT, ALLOW = CORNERS = ("forbid", "strict", "allow")
"""Rules for diagonal moves: blocked between two walls, past any wall, or only by their target."""


def numbered_cells(free: Bool[np.ndarray, "rows columns"]) -> Int[np.ndarray, "rows columns"]:
    """Return the state of every cell, -1 for walls."""
    return np.where(free, np.cumsum(free, dtype=np.int32).reshape(free.shape) - 1, -1)


class Grid:
    """The cells of a maze, of which some may be closed, and where moves lead from each.

    Args:
        free: cells that have a state.
        corners: rule for diagonal moves, one of `CORNERS`.
        exits: the only move by which each state can be left, -1 for any; None if all are -1.
        closed: states that no move enters or leaves.
    """

    def __init__(
        self,
        free: Bool[np.ndarray, "rows columns"],
        moves: Moves,
        corners: str,
        exits: Int[np.ndarray, " S"] | None,
        *,
        closed: Int[np.ndarray, " W"] | None = None,
    ) -> None:
        margin = max(abs(step) for _, cell in moves for step in cell)
        self._numbers = np.pad(numbered_cells(free), margin, constant_values=-1)
        self._width = self._numbers.shape[1]
        self._numbers = self._numbers.ravel()
        self._places = np.flatnonzero(self._numbers >= 0)
        self._moves, self._corners, self._exits = moves, corners, exits
        if closed is not None:
            self.close(closed)

    def close(self, states: Int[np.ndarray, " W"]) -> None:
        """Let no move enter or leave some states."""
        self._numbers[self._places[states]] = -1

    def open(self, states: Int[np.ndarray, " W"]) -> None:
        """Let moves enter and leave some states again."""
        self._numbers[self._places[states]] = states

    def around(self, states: Int[np.ndarray, " W"]) -> Int[np.ndarray, " K"]:
        """Return all states from which some move may change if these are closed or opened."""
        steps = {(0, 0), *(step for _, step in self._moves)}
        if self._corners != ALLOW:
            cuts = [(down, right) for down, right in steps if abs(down) == abs(right) == 1]
            steps |= {(down, 0) for down, _ in cuts} | {(0, right) for _, right in cuts}
        back = np.array([-self._offset(*step) for step in steps])
        places = np.unique(self._places[states][:, None] + back)
        there = np.searchsorted(self._places, places)
        there[there == len(self._places)] = 0
        return there[self._places[there] == places]

    def targets(self, states: Int[np.ndarray, " K"] | None = None) -> Int[np.ndarray, "A K"]:
        """Return the state to which each move leads; a blocked move stays in place."""
        places = self._places if states is None else self._places[states]
        here = np.arange(len(places)) if states is None else states
        exits = None if self._exits is None else self._exits[here]
        closed = self._numbers.take(places) < 0
        targets = np.empty((len(self._moves), len(here)), np.int32)
        for action, (_, (down, right)) in enumerate(self._moves):
            there = self._numbers.take(places + self._offset(down, right))
            blocked = (there < 0) | closed
            if self._corners != ALLOW and abs(down) == abs(right) == 1:
                beside = self._numbers.take(places + self._offset(down, 0)) < 0
                across = self._numbers.take(places + self._offset(0, right)) < 0
                blocked |= beside & across if self._corners == FORBID else beside | across
            if exits is not None:
                blocked |= (exits >= 0) & (exits != action)
            targets[action] = np.where(blocked, here, there)
        return targets

    def _offset(self, down: int, right: int) -> int:
        return down * self._width + right


def sparse_chains(next_states: Int[np.ndarray, "A S"], noise: float = 0.0) -> list[csr_array]:
    """Return one sparse transition matrix per move; some moves go astray."""
    count, size = next_states.shape
    ones, starts = np.ones(size), np.arange(size + 1)
    certain = [csr_array((ones, ends, starts), shape=(size, size)) for ends in next_states]
    if not noise:
        return certain
    blurred = csr_array((size, size))
    for chain in certain:
        blurred = blurred + chain
    blurred = blurred * (1 / count)
    return [(1 - noise) * chain + noise * blurred for chain in certain]
