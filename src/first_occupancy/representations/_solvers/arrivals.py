r"""How surely and how soon a set of states is first reached: one column of the FR, sparse.

For a kernel K, the discounted moves of a policy ($\gamma P$, or $\gamma^{d(s)} P(s, \cdot)$ where
moves take time d), the expected discount at the first arrival in a set G is the smallest
non-negative solution of

$$v(s) = \sum_{s'} K(s, s')\, v(s') \quad (s \notin G), \qquad v(g) = 1 .$$

With rows that sum to less than one it is the only solution. Undiscounted it is not: v = 1 solves
the equations of a chain that never arrives. So states from which no path leads to G are set to
exactly 0 first; from the others some probability always reaches G, and one sparse LU factorisation
solves for them. Undiscounted, states that cannot miss G are exactly 1.

The expected time until arrival, counting arrivals only, solves the same system: with
$t(s) = \mathbb{E}[T\, 1(T < \infty)]$ and $D(s, s')$ the expected duration of a move that leads to
s', $t = K t + D v$.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import SuperLU, splu

SURE = 1e-12
"""A row whose sum is this near to one loses nothing: the move is not discounted."""


class Arrivals(NamedTuple):
    """The solved system of one policy and one set of goals.

    Attributes:
        values: v, the expected discount at the first arrival.
        kernel: rows of the states that can arrive, but for the goals: no others move.
        inner: those states.
        factors: LU factors of the system over those states; None if there are none.
    """

    values: Float[np.ndarray, " S"]
    kernel: csr_array
    inner: Int[np.ndarray, " R"]
    factors: SuperLU | None

    def times(self, elapsed: csr_array) -> Float[np.ndarray, " S"]:
        """Return the expected time until arrival, counting arrivals only.

        Args:
            elapsed: D, the expected duration of a move that leads from s to s', weighted by its
                probability.
        """
        times = np.zeros(len(self.values))
        if self.factors is not None:
            times[self.inner] = self.factors.solve((elapsed @ self.values)[self.inner])
        return times


def arrivals(kernel: csr_array, goals: Int[np.ndarray, " G"]) -> Arrivals:
    """Return the expected discount at the first arrival in a set of states.

    Args:
        kernel: discounted moves K; rows sum to at most one.
        goals: states of the set.
    """
    size = kernel.shape[0]
    values = np.zeros(size)
    values[goals] = 1
    arriving = leading_to(kernel, values > 0)
    arriving[goals] = False
    inner = np.flatnonzero(arriving)
    if not len(inner):
        return Arrivals(values, kernel, inner, None)
    rows = kernel[inner]
    within = csc_array(rows[:, inner])
    factors = splu(
        csc_array(eye_array(len(inner)) - within),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True, "Equil": False},
    )
    values[inner] = np.clip(factors.solve(rows @ values), 0, 1)
    lossy = np.abs(rows.sum(axis=1) - 1) > SURE
    if not lossy.all():
        values[_cannot_miss(kernel, goals, values == 0, inner[lossy])] = 1
    return Arrivals(values, kernel, inner, factors)


def _cannot_miss(
    kernel: csr_array,
    goals: Int[np.ndarray, " G"],
    never: Bool[np.ndarray, " S"],
    lossy: Int[np.ndarray, " L"],
) -> Bool[np.ndarray, " S"]:
    """Return which states arrive for certain and by moves that are not discounted.

    Args:
        kernel: discounted moves.
        goals: where the search ends: what lies behind a goal does not matter.
        never: states that never arrive.
        lossy: states whose moves are discounted.
    """
    onwards = np.ones(len(never), bool)
    onwards[goals] = False
    less = never.copy()
    less[lossy] = True
    return ~leading_to(csr_array(kernel.multiply(onwards[:, None])), less)


def leading_to(kernel: csr_array, targets: Bool[np.ndarray, " S"]) -> Bool[np.ndarray, " S"]:
    """Return which states have a path to one of the targets, the targets included.

    Args:
        kernel: moves; entries that are 0 lead nowhere.
        targets: which states are targets.
    """
    size = kernel.shape[0]
    moves = kernel.tocoo()
    there = moves.data > 0
    ends = np.flatnonzero(targets)
    # Backwards, from one extra state that all targets are next to.
    begins = np.append(moves.col[there], np.full(len(ends), size))
    behind = np.append(moves.row[there], ends)
    backwards = csr_array((np.ones(len(begins), np.int8), (begins, behind)), (size + 1, size + 1))
    found = np.zeros(size + 1, bool)
    found[breadth_first_order(backwards, size, return_predecessors=False)] = True
    return found[:size]
