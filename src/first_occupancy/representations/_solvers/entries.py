r"""The SR of a chain, split at the first entry into a set of states R.

$$M = N + H M_R$$

$N(s, g)$ counts the discounted visits to $g$ before the chain enters R, and $H(s, r)$ is the
expected discount at the first entry into R if that is at $r$ (0 otherwise). Both come from the
chain that stops in R: its SR has the columns H for the states of R and N for all others. The rows
$M_R$ follow from one excursion from R: with the visits $L = \gamma P_R N$ and the returns
$K = \gamma P_R H$,
$M_{RR} = (I - K)^{-1}$ and $M_{Rg} = M_{RR} L_g$ for all other states $g$.

No term of these sums is negative, so every entry is accurate relative to its own size,
and is exactly 0 where there is no path (`sparse`).
"""

from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from first_occupancy.representations._solvers.sparse import Factors


class SplitSR(NamedTuple):
    """The parts of an SR, in float64, as `split_sr` returns them."""

    states: Int[np.ndarray, " R"]
    stopped: Factors
    """LU factors of the chain that stops in the states R, to solve for entries of N."""
    entries: Float[np.ndarray, "S R"]
    """H, the expected discount at the first entry into R."""
    visits: Float[np.ndarray, "R S"]
    """The rows of the SR for the states R."""

    def rows(self, starts: Int[np.ndarray, " B"]) -> Float[np.ndarray, "B S"]:
        """Return M(s, .) of each start outside R."""
        before = self.stopped.rows(starts)
        before[:, self.states] = 0
        return before + self.entries[starts] @ self.visits

    def columns(self, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, "S G"]:
        """Return M(., g) of each goal outside R."""
        return self.stopped.columns(goals) + self.entries @ self.visits[:, goals]

    def own_columns(self) -> Float[np.ndarray, "S R"]:
        """Return M(., r) of each state r of R."""
        return self.entries @ self.visits[:, self.states]


def split_sr(chain: csr_array, states: Int[np.ndarray, " R"], discount: float) -> SplitSR:
    """Return the SR of a chain, split at the first entry into `states`."""
    stops = np.zeros(chain.shape[0], bool)
    stops[states] = True
    stopped = chain.copy()
    stopped.data[np.repeat(stops, np.diff(chain.indptr))] = 0
    stopped.eliminate_zeros()
    factors = Factors(stopped, discount, exits=np.where(stops, 1.0, 1 - discount))
    # The columns of R hold the returns K, the others the visits L.
    ahead = factors.weighted_rows(discount * chain[states].toarray())
    # The chain ends before it returns where it starts, or at one of the visits.
    ends = (1 - discount) * (1 + ahead[:, ~stops].sum(axis=1))
    own = Factors(csr_array(ahead[:, states]), 1.0, exits=ends).columns(np.arange(len(states)))
    visits = own @ ahead
    visits[:, states] = own
    return SplitSR(states, factors, factors.columns(states), visits)


def reachable_pairs(chain: csr_array) -> Bool[np.ndarray, "S S"]:
    """Return whether the chain can get from each state (row) to each state (column).

    States that can reach each other reach the same states. So the search goes over the strongly
    connected components: each reaches itself and all that its successors reach.
    """
    starts, ends = chain.nonzero()
    support = csr_array((np.ones(len(starts)), (starts, ends)), shape=chain.shape)
    count, component = connected_components(support, connection="strong")
    reached = _reached(count, component[starts], component[ends])
    return reached[component][:, component]


def _reached(
    count: int, starts: Int[np.ndarray, " E"], ends: Int[np.ndarray, " E"]
) -> Bool[np.ndarray, "C C"]:
    """Return which nodes reach which in a graph without cycles other than self-loops."""
    following: list[set[int]] = [set() for _ in range(count)]
    for start, end in np.unique(np.stack([starts, ends]), axis=1).T.tolist():
        if start != end:
            following[start].add(end)
    # Sets of nodes are stored as bits of integers, which makes unions fast.
    reached = [0] * count
    for node in TopologicalSorter(dict(enumerate(following))).static_order():
        reached[node] = 1 << node
        for end in following[node]:
            reached[node] |= reached[end]
    width = -(-count // 8)
    packed = np.frombuffer(b"".join(bits.to_bytes(width, "little") for bits in reached), np.uint8)
    bits = np.unpackbits(packed.reshape(count, width), axis=1, count=count, bitorder="little")
    return bits.astype(bool)
