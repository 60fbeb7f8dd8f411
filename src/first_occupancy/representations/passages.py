r"""First passage of a chain: how surely, and when, it first reaches some targets from each state.

The expected discount at the first arrival, a column of the FR, is the generating function of the
time of arrival; `Passage` has the rest. On reducible chains probabilities are exactly 0 where no
path leads to a target and 1 where none can be missed.

Let T be the time of the first arrival in the targets G, $v = P(T < \infty)$ and
$m = \mathbb{E}[T \mid T < \infty]$. With J the jump chain (`jumps`), $\lambda$ the probability of
leaving a state at once, p and $\tau$ the probability and the duration of each move,

$$v = J v \quad (v = 1 \text{ on } G), \qquad
  v m = J (v m) + \frac{1}{\lambda} \sum_{s'} p\, \tau\, v(s'), \qquad
  v \sigma^2 = J (v \sigma^2) + \frac{1}{\lambda} \sum_{s'} p\, v(s')\, (\tau + m(s') - m(s))^2 .$$

The second is the first, differentiated; the third sums the variance along the way of the chain that
is known to arrive, whose moves have the probabilities $p\, v(s') / v(s)$. $\mathbb{E}[T^2] - m^2$
would cancel where times hardly vary. All systems have the same matrix (`arrivals`).
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import Displayed, count, numbered_names, span
from first_occupancy.core.errors import InputError, NoStateError, shown
from first_occupancy.core.names import Names
from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.core.world import numbered
from first_occupancy.representations._solvers.arrivals import Arrivals, arrivals, tolerance_of
from first_occupancy.representations._solvers.induction import Induction
from first_occupancy.representations._solvers.jumps import jump_chain
from first_occupancy.representations._solvers.lattices import Lattice, lattice
from first_occupancy.representations.arrival import (
    FAR,
    ROUNDED,
    Arrival,
    Forward,
    OpenShare,
    in_units,
)


class _Inner(NamedTuple):
    """The moves from states where a passage goes on.

    Attributes:
        chain: probabilities of the moves; what a row lacks of 1 counts as staying.
        times: duration of each move; None if all take one step.
        rows: state where each move begins.
        leaving: probability of leaving each state.
    """

    chain: csr_array
    times: Float[np.ndarray, " E"] | None
    rows: Int[np.ndarray, " E"]
    leaving: Float[np.ndarray, " S"]


@dataclass(eq=False, repr=False)
class Passage(Displayed):
    """How surely, and when, a chain first reaches some targets from each state.

    Numbers are computed when they are first asked for. A passage from a target takes no time.

    Attributes:
        moves: moves of the chain, and how long they take.
        targets: states in which a passage ends.
        avoided: states in which it fails.
        discount: discount factor per unit of time, of `expected_discount`.
        state_names: names of the states, if any.
    """

    moves: TimedMoves
    targets: Int[np.ndarray, " K"]
    avoided: Int[np.ndarray, " V"]
    discount: float = 1.0
    state_names: Names | None = None

    @property
    def probability(self) -> Float[np.ndarray, " S"]:
        """The probability of ever arriving from each state."""
        return self._undiscounted.values

    @cached_property
    def mean(self) -> Float[np.ndarray, " S"]:
        """The expected time until arrival, given arrival; infinite where there is none."""
        times = self._inner.times
        return self._given_arrival(self._gained(1.0 if times is None else times))

    @cached_property
    def std(self) -> Float[np.ndarray, " S"]:
        """The standard deviation of the time, given arrival; NaN where there is none."""
        chain, times, rows, _ = self._inner
        means = np.where(np.isfinite(self.mean), self.mean, 0)
        ahead = (1.0 if times is None else times) + means[chain.indices] - means[rows]
        # What certain moves leave of this is the rounding of the means.
        ahead[np.abs(ahead) <= tolerance_of(len(means)) * means[rows]] = 0
        # Squares of times beyond 1e154 would overflow.
        unit = max(1.0, means.max() / 1e150)
        found = self._given_arrival(self._gained((ahead / unit) ** 2))
        return np.where(np.isfinite(found), np.sqrt(found) * unit, np.nan)

    @cached_property
    def expected_discount(self) -> Float[np.ndarray, " S"]:
        """The expected discount at the first arrival; at a discount of 1 the probability."""
        return self.probability if self.discount == 1 else self._arrivals(self.discount).values

    @cached_property
    def committors(self) -> Float[np.ndarray, "S K"]:
        """The probability that each of the targets is the first to be reached."""
        others = [np.delete(self.targets, target) for target in range(len(self.targets))]
        columns = [
            Passage(self.moves, self.targets[[target]], np.append(self.avoided, other)).probability
            for target, other in enumerate(others)
        ]
        return np.stack(columns, axis=1)

    @cached_property
    def error(self) -> float:
        """A bound on the relative error of `probability` and `mean`.

        It is proved, unless parts of the chain are so rarely left that states are eliminated
        without subtraction; there it is what was measured. Rounding of the moves of n states, each
        by a few units, adds a few times n units.
        """
        (values, system), worth = self._undiscounted, np.zeros(len(self._inner.leaving))
        worth[self.targets] = 1
        spent = self._gained(1.0 if self._inner.times is None else self._inner.times)
        summed = np.where(values > 0, self.mean, 0) * values
        solved = 2 * system.error(system.moves @ worth, values) + system.error(spent, summed)
        return solved + 8 * (1 + len(system.order)) * float(np.finfo(float).eps)

    @check_arguments
    def by(self, time: float | int) -> Float[np.ndarray, " S"]:
        """Return the probability of having arrived by a time, from each state."""
        units = int(in_units("by: time", time, self._lattice.unit))
        if units < 0:
            return np.zeros(len(self.probability))
        return np.minimum(self._induction().until(units), self.probability)

    @check_arguments
    def quantile(self, share: OpenShare) -> Float[np.ndarray, " S"]:
        """Return the time by which a share of all arrivals has happened, from each state.

        Args:
            share: between 0 and 1.
        """
        wanted = share * self.probability * (1 - ROUNDED)
        found = np.where(self.probability > 0, np.nan, np.inf)
        induction = self._induction()
        for time in range(FAR):
            found[np.isnan(found) & (induction.until(time) >= wanted)] = time * self._lattice.unit
            if not np.isnan(found).any():
                break
        for state in np.flatnonzero(np.isnan(found)):
            found[state] = self.arrival(int(state)).quantile(share)
        return found

    def arrival(self, start: int | str) -> Arrival:
        """Return how surely, and when, one arrives from one start: the whole distribution.

        Args:
            start: state, by number or by name.
        """
        try:
            state = numbered(start, len(self.probability), self.state_names)
        except NoStateError as error:
            raise InputError(f"arrival: start {error.problem}") from None
        surely, mean, std = self.probability[state], self.mean[state], self.std[state]
        words, in_steps = shown(state, self.state_names), self.moves.times is None
        forward = partial(self._forward, state)
        return Arrival(float(surely), float(mean), float(std), words, forward, in_steps)

    def _forward(self, state: int) -> Forward:
        surely, mean, each = self.probability[state], self.mean[state], self._lattice
        if self.std[state] == 0 < mean:  # One time, which may be no multiple of any unit.
            unit = float(mean) if each.rounding else each.unit
            once = Lattice(unit, np.array([round(mean / unit)]), 0.0)
            return Forward(csr_array([[0.0, surely]]), once, np.array([[0, -1]]), np.array([1]), 0)
        # Where none arrives, there is nothing to carry on.
        rows = np.where(self.probability > 0, np.arange(len(self.probability)), -1)[None]
        return Forward(self._inner.chain, each, rows, self.targets, state)

    @cached_property
    def _inner(self) -> _Inner:
        left = np.arange(self.moves.chain.shape[1])
        left[self.targets] = left[self.avoided] = -1
        chain, times = self.moves.of(left)
        rows = np.repeat(np.arange(len(left)), np.diff(chain.indptr))
        own = rows == chain.indices
        leaving = np.bincount(rows, np.where(own, 0, chain.data), len(left))
        staying = np.bincount(rows, np.where(own, chain.data, 0), len(left))
        # A row's own entries are what makes it sum to 1, but keep their digits if it does.
        scale = np.maximum(1 - leaving, 0) / np.where(staying > 0, staying, 1)
        scale[np.abs(leaving + staying - 1) <= 1e-14] = 1
        chain.data = np.where(own, chain.data * scale[rows], chain.data)
        return _Inner(chain, times, rows, leaving)

    @cached_property
    def _undiscounted(self) -> Arrivals:
        """The solved system without a discount: its values are the probabilities of arriving."""
        return self._arrivals(1.0)

    def _arrivals(self, discount: float) -> Arrivals:
        """Return the solved system of the moves with a discount per unit of time."""
        chain, times, rows, leaving = self._inner
        worth, lost = discount, 1 - discount
        if times is not None and 0 < discount < 1:
            rate = np.log(discount) * times
            worth, lost = np.exp(rate), -np.expm1(rate)
        kernel = csr_array((chain.data * worth, chain.indices, chain.indptr), chain.shape)
        losses = 1.0 * np.bincount(rows, chain.data * lost, len(leaving))
        return arrivals(jump_chain(kernel, losses), self.targets)

    def _gained(self, spent: Float[np.ndarray, " E"] | float) -> Float[np.ndarray, " S"]:
        """Return what jumps from each state spend, if they arrive in the end."""
        chain, _, rows, leaving = self._inner
        gained = np.bincount(
            rows, chain.data * spent * self.probability[chain.indices], len(leaving)
        )
        return gained / np.where(leaving > 0, leaving, 1)

    def _given_arrival(self, gained: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
        """Return the expected sum of what is gained on the way, given arrival."""
        solved = self._undiscounted
        found = np.where(solved.values > 0, 0, np.inf)
        found[solved.inner] = solved.gathered(gained)[solved.inner] / solved.values[solved.inner]
        return found

    @cached_property
    def _lattice(self) -> Lattice:
        return lattice(self._inner.times, self._inner.chain.nnz)

    def _induction(self) -> Induction:
        return Induction(self._inner.chain, self._lattice.delays, self.targets, self.avoided)

    def _summary(self) -> str:
        others = np.delete(self.probability, self.targets)
        means = np.delete(self.mean, self.targets)
        lines = [
            f"Passage to {numbered_names(self.targets, self.state_names)}",
            f"from {(others > 0).sum():,} of {count(len(others), 'other state')}, "
            f"with probability {span(others)}",
            f"expected time, given arrival, {span(means[np.isfinite(means)])}",
        ]
        return "\n  ".join(lines)
