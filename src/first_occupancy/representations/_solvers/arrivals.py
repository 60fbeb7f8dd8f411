r"""How surely and how soon a set of states is first reached: one column of the FR, sparse.

With J the jump chain of a policy's discounted moves (`jumps`), the expected discount at the first
arrival in a set G is the smallest non-negative solution of

$$v(s) = \sum_{s'} J(s, s')\, v(s') \quad (s \notin G), \qquad v(g) = 1 .$$

If every move loses something, it is the only solution. Undiscounted it is not: v = 1 solves
the equations of a chain that never arrives. So a search finds the states from which a path leads to
G; all others are exactly 0. States that reach G for certain, without any loss, are exactly 1.

The expected time until arrival, counting arrivals only, solves the same system: with
$t(s) = \mathbb{E}[T\, 1(T < \infty)]$ and $H(s, s')$ the expected time of leaving s for s',
weighted by its probability, $t = J t + H v$.

Three methods solve it. `sweeps_worth` says how many sweeps are worth their time:

- Sweeps from below, with a proven bound (`sweeps`). They take time in proportion to the moves,
  whatever the graph, and are tried first.
- Sparse LU factors (`sparse`), where sweeps converge so slowly that factors take less time: in
  mazes, for policies that hardly ever arrive. Factors lose about as many digits as there are jumps
  on the way, so they serve up to `FAR` jumps.
- Elimination without subtraction (`first_passage`) beyond that, as between nearly uncoupled parts
  of a chain, up to `ELIMINATED_UP_TO` states. In larger chains a `PrecisionWarning` says so.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csc_array, csr_array

from first_occupancy.core.errors import warn_of_precision
from first_occupancy.core.memory import on_host
from first_occupancy.representations._solvers.first_passage import Rows, onward
from first_occupancy.representations._solvers.jumps import Jumps
from first_occupancy.representations._solvers.sparse import AT_ONCE, Factors, compressed

FAR = 1e9
"""Expected jumps until arrival or loss up to which refined LU factors are accurate."""

ELIMINATED_UP_TO = 2000
"""States up to which nearly uncoupled chains are solved by elimination, as dense matrices."""

FACTORED_STATE, FACTORED_CUBE = 1000, 14
"""What LU factors cost in products of sweeps: so many per state, and one per so many of the cube
of the states at the commonest distance from the goals. These separate nearer states from farther
ones, and the separator is eliminated as a dense matrix. Measured on mazes and random chains."""

FACTOR_BYTES, LARGE = 16, 2**28
"""Bytes of factors for each pair of states at the commonest distance, and how many bytes always
fit."""

USUAL_SWEEPS = 50
"""Sweeps, and what else takes time in proportion to the moves, for a set of goals."""

MOST_SWEEPS = 1e6
"""Sweeps that are worth while where there is no other way."""

SCATTERED = 20_000
"""States above which a system is renumbered before it is swept, to read memory in sequence: a
million states in random order are swept ten times as fast."""


def tolerance_of(size: int) -> float:
    """Return the relative error that sweeps may leave: a part of what rounding is allowed."""
    return min(16 * size * np.finfo(float).eps, 1e-11)


class Equations:
    """The system v = J v + b over the states that can arrive, with b not negative.

    `order` has those states, nearest first, without the goals. `widest` is the number of states at
    the commonest distance. `exits` is the share of each state that leads to the goals, or is lost.
    """

    def __init__(
        self,
        moves: csr_array,
        order: Int[np.ndarray, " R"],
        widest: int,
        exits: Float[np.ndarray, " R"],
    ) -> None:
        self.moves, self.order, self.widest, self.exits = moves, order, widest, exits
        self._converges = True

    def solved(
        self,
        right: Float[np.ndarray, " S"],
        *,
        start: Float[np.ndarray, " S"] | None = None,
    ) -> Float[np.ndarray, " S"]:
        """Return the solution over the states of `order`, 0 in the others; `start` is a guess."""
        solution = np.zeros(len(right))
        if not len(self.order):
            return solution
        if self._converges:
            found = self._swept(right, start)
            if found is not None:
                return found
            self._converges = False
        solution[self.order] = self._direct(right[self.order])
        return solution

    def error(self, right: Float[np.ndarray, " S"], found: Float[np.ndarray, " S"]) -> float:
        r"""Return a bound on the relative error of a solution that was found for some b.

        Sweeps prove it on their way. Elimination has no such proof: $2 n \epsilon$ for n states is
        what was measured. For factors, let $|b - (I - J)\, x| \le a\, x$ be what the solution x
        leaves over. J is not negative, so the error is at most $a \sum_k J^k x$; this sum is
        solved for as well, and what that leaves over is counted.
        """
        eps = float(np.finfo(float).eps)
        if self._converges:
            return tolerance_of(len(self.order))
        if not isinstance(self._solver, Factors):
            return 2 * len(self.order) * eps
        inner, ahead = found[self.order], self._direct(found[self.order])
        share = self._solver.left_over(right[self.order], inner) / inner
        rest = self._solver.left_over(inner, ahead) / inner
        bound = float((share.max() + eps) * (ahead / inner).max() / (1 - rest.max()))
        return bound if rest.max() < 1 else np.inf

    def _swept(
        self,
        right: Float[np.ndarray, " S"],
        start: Float[np.ndarray, " S"] | None,
    ) -> Float[np.ndarray, " S"] | None:
        """Return the solution by sweeps, or None if they would take too long."""
        from first_occupancy.representations._solvers.sweeps import add_powers, corrected

        if SCATTERED < len(self.order) < len(right):
            system = Equations(self._within, np.arange(len(self.order)), self.widest, self.exits)
            guess, solution = None if start is None else start[self.order], np.zeros(len(right))
            found = system._swept(right[self.order], guess)
            if found is not None:
                solution[self.order] = found
            return None if found is None else solution
        allowed = tolerance_of(len(self.order))
        limit = sweeps_worth(self.moves.nnz, len(self.order), self.widest)
        system, options = (self.moves, self.order, right), {"tolerance": allowed, "limit": limit}
        sums = np.zeros(len(right))
        if start is not None:
            sums[self.order] = start[self.order]
            found = corrected(*system, sums, **options)
            if found is not None:
                return found
            sums[:] = 0
        return sums if add_powers(*system, sums, **options) <= allowed else None

    def _direct(self, right: Float[np.ndarray, " R"]) -> Float[np.ndarray, " R"]:
        """Return the solution by factors, or by elimination."""
        solver = self._solver
        if isinstance(solver, Factors):
            return solver.solved(right[:, None])[:, 0]
        # What is gathered in each state is like the time of a last move to the goals.
        gathered = np.zeros_like(solver.moves)
        gathered[:, -1] = right
        times = onward(solver._replace(times=gathered)).times
        return np.zeros(len(right)) if times is None else times[:, 0]

    @cached_property
    def _solver(self) -> Factors | Rows:
        """LU factors of the system; if they are useless, its rows, to be eliminated."""
        factors = _factors(self._within, self.exits)
        if factors is not None:
            return factors
        moves = np.column_stack([self._within.toarray(), self.exits])
        return Rows(moves, np.zeros(len(self.exits)))

    @cached_property
    def _within(self) -> csr_array:
        """The moves between the states of `order`, in that order."""
        return csr_array(self.moves[self.order][:, self.order])


def sweeps_worth(moves: int, size: int, widest: int) -> float:
    """Return how many sweeps take as long as factors: where to choose another method.

    Factors of a graph with narrow levels, as of a maze, have little fill-in. In a random graph half
    of the states are equally far from the goals, and factors are nearly dense. Where they do not
    fit into memory, sweeps are all there is.
    """
    if FACTOR_BYTES * widest**2 > LARGE and FACTOR_BYTES * widest**2 > on_host() / 2:
        return MOST_SWEEPS
    return (FACTORED_STATE * size + widest**3 / FACTORED_CUBE) / max(moves, 1)


class Arrivals(NamedTuple):
    """The solved system of one policy and one set of goals: v, and the equations."""

    values: Float[np.ndarray, " S"]
    equations: Equations

    @property
    def inner(self) -> Int[np.ndarray, " R"]:
        """The states that can arrive, but for the goals, nearest first."""
        return self.equations.order

    def gathered(self, gains: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
        """Return the expected sum of what is gained in the states on the way, not negative."""
        return self.equations.solved(gains)

    def times(self, elapsed: csr_array) -> Float[np.ndarray, " S"]:
        """Return the expected time until arrival, counting arrivals only."""
        return self.gathered(elapsed @ self.values)


def arrivals(
    jumps: Jumps,
    goals: Int[np.ndarray, " G"],
    *,
    start: Float[np.ndarray, " S"] | None = None,
) -> Arrivals:
    """Return the expected discount at the first arrival in a set of states, each named once.

    Values near `start`, such as those of a similar policy, save sweeps. The relative error of each
    is at most `tolerance_of`.
    """
    from first_occupancy.representations._solvers.sweeps import nearest_first

    moves, losses = jumps.moves, jumps.losses
    starts, ends, weights = compressed(csc_array(moves))
    order, widest = nearest_first(starts, ends, weights, goals)
    values, never = np.zeros(moves.shape[0]), np.ones(moves.shape[0], bool)
    values[goals], never[order] = 1, False
    inner = order[len(goals) :]
    entering, lost = moves @ values, losses + moves @ never.astype(float)
    system = Equations(moves, inner, widest, (entering + lost)[inner])
    sure = np.zeros(0, int)
    if not (lost[inner] > 0).all():
        # What can miss leads to a loss, or to a state that never arrives, without passing a goal.
        onwards = np.where(values[ends] > 0, 0, weights)
        less = np.flatnonzero(never | ((losses > 0) & (values == 0)))
        missing, certain = nearest_first(starts, ends, onwards, less)[0], np.ones(len(values), bool)
        certain[missing] = False
        sure = inner[certain[inner]]
    if len(sure) < len(inner):
        solution = system.solved(entering, start=start)
        values[inner] = np.clip(solution[inner], 0, 1)
    values[sure] = 1
    return Arrivals(values, system)


def columns(jumps: Jumps, goals: Int[np.ndarray, " G"]) -> Iterator[Float[np.ndarray, " S"]]:
    """Yield the expected discount at the first arrival in each of some states: columns of the FR.

    Visits to g are those after the first, F(s, g) M(g, g). So for many goals one factorisation
    gives all columns, if it does not have too much fill-in.
    """
    size, count = len(jumps.losses), len(goals)
    first = arrivals(jumps, goals[:1])
    yield first.values
    widest, moves = first.equations.widest, max(jumps.moves.nnz, 1)
    cost = sweeps_worth(moves, size, widest) + (count - 1) * widest**2 / moves
    if jumps.losses.min(initial=1) * FAR < 1 or cost > USUAL_SWEEPS * (count - 1):
        yield from (arrivals(jumps, goals[k : k + 1]).values for k in range(1, count))
        return
    inverse = Factors(jumps.moves, 1.0, exits=jumps.losses)
    for begin in range(1, count, AT_ONCE):
        some = goals[begin : begin + AT_ONCE]
        visits = inverse.columns(some)
        yield from np.clip(visits / visits[some, np.arange(len(some))][None], 0, 1).T


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
        "first arrivals: numbers may be inaccurate, since parts of these "
        f"{len(exits)} states are left with probabilities of {1 / FAR:g} or less"
    )
    return factors or Factors(within, 1.0, exits=np.maximum(exits, np.finfo(float).eps))
