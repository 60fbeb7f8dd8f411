r"""The equations of first passage of a chain, in which moves may take time.

Let T be the time of the first arrival in the targets G, $v = P(T < \infty)$ and
$m = \mathbb{E}[T \mid T < \infty]$. With J the jump chain (`jumps`), $\lambda$ the probability of
leaving a state at once, p and $\tau$ the probability and the duration of each move,

$$v = J v \quad (v = 1 \text{ on } G), \qquad
  v m = J (v m) + \frac{1}{\lambda} \sum_{s'} p\, \tau\, v(s'), \qquad
  v \sigma^2 = J (v \sigma^2) + \frac{1}{\lambda} \sum_{s'} p\, v(s')\, (\tau + m(s') - m(s))^2 .$$

The second and third are the first, differentiated: $v m = \mathbb{E}[T\, 1(T < \infty)]$, and the
variance is that of the chain that is known to arrive, whose moves have the probabilities
$p\, v(s') / v(s)$, summed along the way (law of total variance). $\mathbb{E}[T^2] - m^2$ would
cancel where times hardly vary. All terms are non-negative, and all systems have the same matrix.

Only states from which a path leads to G are solved for, so that zeros are exact; those that cannot
miss G have probability 1 exactly.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.representations._solvers.arrivals import leading_to
from first_occupancy.representations._solvers.expected_sums import ExpectedSums


class Entries(NamedTuple):
    """The moves of the states that can arrive, row by row.

    Attributes:
        states: number of the state of each row.
        starts: where each row begins, and the end of the last.
        ends: state that each move leads to.
        chances: its probability.
        times: its duration; None if all moves take one step.
    """

    states: Int[np.ndarray, " R"]
    starts: Int[np.ndarray, " R1"]
    ends: Int[np.ndarray, " E"]
    chances: Float[np.ndarray, " E"]
    times: Float[np.ndarray, " E"] | None

    @property
    def rows(self) -> Int[np.ndarray, " E"]:
        """The row of each move."""
        return np.repeat(np.arange(len(self.states), dtype=np.int32), np.diff(self.starts))


class PassageEquations:
    """First passage of one chain to some targets.

    Args:
        moves: the chain.
        targets: states in which a passage ends.
        avoided: states in which it fails.
    """

    def __init__(
        self, moves: TimedMoves, targets: Bool[np.ndarray, " S"], avoided: Bool[np.ndarray, " S"]
    ) -> None:
        self.targets = targets
        stopped = np.repeat(targets | avoided, np.diff(moves.chain.indptr))
        data = np.where(stopped, 0, moves.chain.data)
        onward = csr_array((data, moves.chain.indices, moves.chain.indptr), moves.chain.shape)
        self._onward = onward
        arriving = leading_to(onward, targets)
        self.never = ~arriving
        self.entries = _entries(moves, np.flatnonzero(arriving & ~targets))

    @cached_property
    def system(self) -> "System":
        """The undiscounted jump chain."""
        return System(self.entries, self.targets, 1.0)

    @cached_property
    def probability(self) -> Float[np.ndarray, " S"]:
        """The probability of arriving from each state."""
        # Nothing is lost on the way where no path leads to a state from which none arrives.
        sure = ~leading_to(self._onward, self.never)
        return (
            sure.astype(float)
            if (sure | self.never).all()
            else np.where(sure, 1, self.discounted(1.0))
        )

    def discounted(self, discount: float) -> Float[np.ndarray, " S"]:
        """Return the expected discount at the arrival."""
        system = self.system if discount == 1 else System(self.entries, self.targets, discount)
        values = self.targets.astype(float)
        if len(self.entries.states):
            values[self.entries.states] = np.minimum(system.sums.solved(system.entering), 1)
        return values

    @cached_property
    def mean(self) -> Float[np.ndarray, " S"]:
        """The expected time until arrival, given arrival; infinite where there is none."""
        values, entries = self.probability, self.entries
        times = 1.0 if entries.times is None else entries.times
        return self._given_arrival(entries.chances * times * values[entries.ends])

    @cached_property
    def variance(self) -> Float[np.ndarray, " S"]:
        """The variance of the time until arrival, given arrival; NaN where there is none."""
        values, entries = self.probability, self.entries
        means = np.where(np.isfinite(self.mean), self.mean, 0)
        times = 1.0 if entries.times is None else entries.times
        ahead = times + means[entries.ends] - means[entries.states][entries.rows]
        found = self._given_arrival(entries.chances * values[entries.ends] * ahead**2)
        return np.where(np.isfinite(found), found, np.nan)

    def _given_arrival(self, spent: Float[np.ndarray, " E"]) -> Float[np.ndarray, " S"]:
        """Return the expected sum of what moves spend until arrival, given arrival."""
        system, values = self.system, self.probability
        gathered = np.bincount(self.entries.rows, spent, len(self.entries.states))
        sums = system.sums.solved(gathered / system.leaving) if len(gathered) else gathered
        found = np.where(self.targets, 0.0, np.inf)
        found[self.entries.states] = sums / values[self.entries.states]
        return found


class System:
    """The jump chain of the states that can arrive, with a discount per unit of time.

    Attributes:
        leaving: what moves elsewhere or is lost in one move.
        entering: expected discount of the jump from each state into the targets.
        sums: the equations to solve.
    """

    def __init__(self, entries: Entries, targets: Bool[np.ndarray, " S"], discount: float) -> None:
        rows, size = entries.rows, len(entries.states)
        moving = entries.ends != entries.states[rows]
        worth, lost = _worth(entries, discount)
        moves = np.where(moving, entries.chances * worth, 0)
        losses = np.bincount(rows, entries.chances * lost, size)
        self.leaving = np.bincount(rows, moves, size) + losses
        numbers = np.full(len(targets), -1)
        numbers[entries.states] = np.arange(size)
        columns = numbers[entries.ends]
        within = moving & (columns >= 0)
        shares = moves[within] / self.leaving[rows[within]]
        jumps = csr_array((shares, (rows[within], columns[within])), shape=(size, size))
        self.entering = np.bincount(rows, moves * targets[entries.ends], size) / self.leaving
        gone = np.bincount(rows, np.where(columns < 0, moves, 0), size)
        self.sums = ExpectedSums(jumps, (gone + losses) / self.leaving)


def _worth(
    entries: Entries, discount: float
) -> tuple[Float[np.ndarray, " E"] | float, Float[np.ndarray, " E"] | float]:
    """Return what is left of 1 after each move, and what is lost."""
    if entries.times is None or discount in (0, 1):
        return discount, 1 - discount
    rate = np.log(discount) * entries.times
    return np.exp(rate), -np.expm1(rate)


def _entries(moves: TimedMoves, states: Int[np.ndarray, " R"]) -> Entries:
    """Return the moves of some states. What rows lack of 1 counts as staying."""
    chosen = moves.of(states)
    starts, ends, chances = chosen.chain.indptr, chosen.chain.indices, chosen.chain.data
    times, lengths = chosen.times, np.diff(starts)
    rows = np.repeat(np.arange(len(states)), lengths)
    own = ends == states[rows]
    moving = np.bincount(rows, np.where(own, 0, chances), len(states))
    staying = np.bincount(rows, np.where(own, chances, 0), len(states))
    # A row's own entry is what makes it sum to 1.
    scale = np.maximum(1 - moving, 0) / np.where(staying > 0, staying, 1)
    chances = np.where(own, chances * scale[rows], chances)
    return Entries(states, starts, ends, chances, times)
