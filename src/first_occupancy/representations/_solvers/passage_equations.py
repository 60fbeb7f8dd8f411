r"""The equations of first passage of a chain, in which moves may take time.

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

from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.representations._solvers.arrivals import Arrivals, arrivals, tolerance_of
from first_occupancy.representations._solvers.jumps import jump_chain


class PassageEquations:
    """First passage of one chain to some targets.

    Args:
        moves: the chain; what its rows lack of 1 counts as staying.
        targets: states in which a passage ends.
        avoided: states in which it fails.
    """

    def __init__(
        self, moves: TimedMoves, targets: Int[np.ndarray, " K"], avoided: Int[np.ndarray, " V"]
    ) -> None:
        left = np.arange(moves.chain.shape[1])
        left[targets] = left[avoided] = -1
        chain, self.times = moves.of(left)
        rows = np.repeat(np.arange(len(left)), np.diff(chain.indptr))
        own = rows == chain.indices
        self.leaving = np.bincount(rows, np.where(own, 0, chain.data), len(left))
        staying = np.bincount(rows, np.where(own, chain.data, 0), len(left))
        # A row's own entries are what makes it sum to 1, but keep their digits if it does.
        scale = np.maximum(1 - self.leaving, 0) / np.where(staying > 0, staying, 1)
        scale[np.abs(self.leaving + staying - 1) <= 1e-14] = 1
        chain.data = np.where(own, chain.data * scale[rows], chain.data)
        self.chain, self.rows, self.targets = chain, rows, targets

    def arrivals(self, discount: float) -> Arrivals:
        """Return the solved system of the moves with a discount per unit of time."""
        worth, lost = discount, 1 - discount
        if self.times is not None and 0 < discount < 1:
            rate = np.log(discount) * self.times
            worth, lost = np.exp(rate), -np.expm1(rate)
        entries = self.chain.data * worth, self.chain.indices, self.chain.indptr
        kernel = csr_array(entries, self.chain.shape)
        losses = 1.0 * np.bincount(self.rows, self.chain.data * lost, len(self.leaving))
        return arrivals(jump_chain(kernel, losses), self.targets)

    @cached_property
    def undiscounted(self) -> Arrivals:
        """The solved system without a discount: its values are the probabilities of arriving."""
        return self.arrivals(1.0)

    @cached_property
    def mean(self) -> Float[np.ndarray, " S"]:
        """The expected time until arrival, given arrival; infinite where there is none."""
        return self._given_arrival(self._gained(1.0 if self.times is None else self.times))

    @cached_property
    def std(self) -> Float[np.ndarray, " S"]:
        """The standard deviation of the time, given arrival; NaN where there is none."""
        means = np.where(np.isfinite(self.mean), self.mean, 0)
        times = 1.0 if self.times is None else self.times
        ahead = times + means[self.chain.indices] - means[self.rows]
        # What certain moves leave of this is the rounding of the means.
        ahead[np.abs(ahead) <= tolerance_of(len(means)) * means[self.rows]] = 0
        # Squares of times beyond 1e154 would overflow.
        unit = max(1.0, means.max() / 1e150)
        found = self._given_arrival(self._gained((ahead / unit) ** 2))
        return np.where(np.isfinite(found), np.sqrt(found) * unit, np.nan)

    @cached_property
    def error(self) -> float:
        """A bound on the relative error of the probabilities and of the mean.

        Rounding of the moves of n states, each by a few units, adds a few times n units.
        """
        (values, system), worth = self.undiscounted, np.zeros(len(self.leaving))
        worth[self.targets] = 1
        spent = self._gained(1.0 if self.times is None else self.times)
        summed = np.where(values > 0, self.mean, 0) * values
        solved = 2 * system.error(system.moves @ worth, values) + system.error(spent, summed)
        return solved + 8 * (1 + len(system.order)) * float(np.finfo(float).eps)

    def _gained(self, spent: Float[np.ndarray, " E"] | float) -> Float[np.ndarray, " S"]:
        """Return what jumps from each state spend, if they arrive in the end."""
        worth = self.chain.data * spent * self.undiscounted.values[self.chain.indices]
        gained = np.bincount(self.rows, worth, len(self.leaving))
        return gained / np.where(self.leaving > 0, self.leaving, 1)

    def _given_arrival(self, gained: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
        """Return the expected sum of what is gained on the way, given arrival."""
        solved = self.undiscounted
        found = np.where(solved.values > 0, 0, np.inf)
        found[solved.inner] = solved.gathered(gained)[solved.inner] / solved.values[solved.inner]
        return found
