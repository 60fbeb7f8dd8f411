"""The largest probability of arriving in the time left, by backward induction."""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.core.timed_moves import TimedMoves

ROOM = 2**20
"""Changes of the choice that are noted before they are stored."""


class Induction:
    """Probabilities of arriving, and what to follow, with more and more time left (`clocked`).

    A choice is kept, as more time is left, until another one is surer.

    Args:
        moves: moves of all policies, row n * S + s for policy n in state s.
        delays: durations of the moves, in units.
        targets: where to arrive.
        avoided: states that are never left.
    """

    def __init__(
        self,
        moves: csr_array,
        delays: Int[np.ndarray, " E"],
        targets: Int[np.ndarray, " K"],
        avoided: Int[np.ndarray, " V"],
    ) -> None:
        size, self._time = moves.shape[1], 1
        # The moves of one state next to each other, as they are read.
        by_state = np.arange(moves.shape[0]).reshape(-1, size).T.ravel()
        chain, units = TimedMoves(moves, delays).of(by_state)
        states = np.repeat(by_state % size, np.diff(chain.indptr))
        free = ~np.isin(states, np.append(targets, avoided))
        links = np.ones(int(free.sum()), np.int8), (chain.indices[free], states[free])
        before = csr_array(links, (size, size))
        length = int(delays.max(initial=1)) + 1
        check_fits_on_host("deadline", 8 * size * length, instead="durations that differ less")
        self._ring = np.zeros((length, size))
        self._ring[:, targets] = 1
        due, choice = np.full(size, -1), np.full(size, -1)
        for target in targets:
            due[before.indices[before.indptr[target] : before.indptr[target + 1]]] = length - 1
        # Numba tests indices that have a sign for being negative at each read.
        entries = chain.indptr.astype(np.uint64), chain.indices.astype(np.uint32), chain.data, units
        marked = before.indptr.astype(np.uint64), before.indices.astype(np.uint32)
        self._known = *entries, *marked, self._ring, due, choice
        self._room = [np.empty(max(ROOM, size), np.int32) for _ in range(3)]
        self.changes = [tuple(each[:0] for each in self._room)]

    def until(self, units: int) -> Float[np.ndarray, " S"]:
        """Return the probability of arriving in some units of time, not fewer than before.

        Changes of the choice on the way are added to `changes`: states, choices, times left.
        """
        from first_occupancy.representations._solvers.clocked import induced

        while self._time <= units:
            begin = self._time
            count, self._time = induced(*self._known, begin, units + 1, *self._room)
            self.changes.append(tuple(each[:count].copy() for each in self._room))
            if self._time <= units and count + self._ring.shape[1] <= len(self._room[0]):
                break  # Nothing changes any more.
        return self._ring[(self._time - 1) % len(self._ring)]
