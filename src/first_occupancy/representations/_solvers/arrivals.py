r"""How surely and how soon a set of states is first reached: one column of the FR, sparse.

With J the jump chain of a policy's discounted moves (`jumps`), the expected discount at the first
arrival in a set G is the smallest non-negative solution of

$$v(s) = \sum_{s'} J(s, s')\, v(s') \quad (s \notin G), \qquad v(g) = 1 .$$

If every move loses something, it is the only solution. Undiscounted it is not: v = 1 solves
the equations of a chain that never arrives. So states from which no path leads to G are set to
exactly 0 first; from the others some probability always reaches G, and one sparse LU factorisation
solves for them. States that reach G for certain, without any loss, are exactly 1.

The expected time until arrival, counting arrivals only, solves the same system: with
$t(s) = \mathbb{E}[T\, 1(T < \infty)]$ and $H(s, s')$ the expected time of leaving s for s',
weighted by its probability, $t = J t + H v$.

LU factors lose about as many digits as there are jumps on the way (`Factors`). Beyond `FAR` jumps,
as between nearly uncoupled parts of a chain, states are eliminated without subtraction instead
(`first_passage`), up to `ELIMINATED_UP_TO` states; in larger chains a `PrecisionWarning` says so.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from first_occupancy.core.errors import warn_of_precision
from first_occupancy.representations._solvers.first_passage import Rows, onward
from first_occupancy.representations._solvers.jumps import Jumps
from first_occupancy.representations._solvers.sparse import Factors

FAR = 1e9
"""Expected jumps until arrival or loss up to which refined LU factors are accurate."""

ELIMINATED_UP_TO = 2000
"""States up to which nearly uncoupled chains are solved by elimination, as dense matrices."""


class Arrivals(NamedTuple):
    """The solved system of one policy and one set of goals.

    Attributes:
        values: v, the expected discount at the first arrival.
        inner: states that can arrive, but for the goals.
        factors: LU factors of the system over those states; None if there are none, or they are
            useless.
        rows: where those states lead, as dense rows over themselves and then the goals as one
            state; None if the factors serve.
    """

    values: Float[np.ndarray, " S"]
    inner: Int[np.ndarray, " R"]
    factors: Factors | None
    rows: Rows | None

    def times(self, elapsed: csr_array) -> Float[np.ndarray, " S"]:
        """Return the expected time until arrival, counting arrivals only."""
        times = np.zeros(len(self.values))
        spent = (elapsed @ self.values)[self.inner]
        if self.factors is not None:
            times[self.inner] = self.factors.solved(spent[:, None])[:, 0]
        elif self.rows is not None:
            # What is spent in each state is gathered like the time of a last move to the goals.
            gathered = np.zeros_like(self.rows.moves)
            gathered[:, -1] = spent
            found = onward(self.rows._replace(times=gathered)).times
            times[self.inner] = np.zeros(len(spent)) if found is None else found[:, 0]
        return times


def arrivals(jumps: Jumps, goals: Int[np.ndarray, " G"]) -> Arrivals:
    """Return the expected discount at the first arrival in a set of states."""
    moves, losses = jumps.moves, jumps.losses
    values = np.zeros(moves.shape[0])
    values[goals] = 1
    arriving = leading_to(moves, values > 0)
    never = ~arriving
    arriving[goals] = False
    inner = np.flatnonzero(arriving)
    if not len(inner):
        return Arrivals(values, inner, None, None)
    rows = moves[inner]
    entering = rows @ values
    lost = losses[inner] + rows @ never.astype(float)
    factors = _factors(csr_array(rows[:, inner]), entering + lost)
    if factors is not None:
        dense = None
        values[inner] = np.clip(factors.solved(entering[:, None])[:, 0], 0, 1)
    else:
        within = rows[:, inner].toarray()
        dense = Rows(np.column_stack([within, entering]), lost)
        values[inner] = np.minimum(onward(dense).moves[:, 0], 1)
    if not (lost > 0).all():
        values[_cannot_miss(moves, goals, never, inner[losses[inner] > 0])] = 1
    return Arrivals(values, inner, factors, dense)


def _factors(within: csr_array, exits: Float[np.ndarray, " R"]) -> Factors | None:
    """Return LU factors of the states that arrive; None if elimination should be used instead."""
    if exits.min() * FAR >= 1:
        return Factors(within, 1.0, exits=exits)
    try:
        factors = Factors(within, 1.0, exits=exits)
        jumps = factors.solved(np.ones((len(exits), 1)))
        if np.isfinite(jumps).all() and jumps.min() > 0.5 and jumps.max() < FAR:
            return factors
    except RuntimeError:  # the factor is exactly singular
        factors = None
    if len(exits) <= ELIMINATED_UP_TO:
        return None
    warn_of_precision(
        f"plan: numbers may be inaccurate, since parts of these {len(exits)} states are left with "
        f"probabilities of {1 / FAR:g} or less"
    )
    return factors or Factors(within, 1.0, exits=np.maximum(exits, np.finfo(float).eps))


def _cannot_miss(
    moves: csr_array,
    goals: Int[np.ndarray, " G"],
    never: Bool[np.ndarray, " S"],
    lossy: Int[np.ndarray, " L"],
) -> Bool[np.ndarray, " S"]:
    """Return which states arrive for certain and by moves that are not discounted.

    Args:
        goals: where the search ends: what lies behind a goal does not matter.
    """
    onwards = np.ones(len(never), bool)
    onwards[goals] = False
    less = never.copy()
    less[lossy] = True
    return ~leading_to(csr_array(moves.multiply(onwards[:, None])), less)


def leading_to(moves: csr_array, targets: Bool[np.ndarray, " S"]) -> Bool[np.ndarray, " S"]:
    """Return which states have a path to one of the targets, the targets included."""
    size = moves.shape[0]
    entries = moves.tocoo()
    there = entries.data > 0
    ends = np.flatnonzero(targets)
    # Backwards, from one extra state that all targets are next to.
    begins = np.append(entries.col[there], np.full(len(ends), size))
    behind = np.append(entries.row[there], ends)
    backwards = csr_array((np.ones(len(begins), np.int8), (begins, behind)), (size + 1, size + 1))
    found = np.zeros(size + 1, bool)
    found[breadth_first_order(backwards, size, return_predecessors=False)] = True
    return found[:size]
