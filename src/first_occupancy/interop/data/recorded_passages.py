"""First passage of chains that were recorded, with intervals.

For intervals the recorded moves are weighted at random (Bayesian bootstrap, `resampled_logs`), and
the spread of the passages is corrected for bias and skewness (`corrected_intervals`). All weighted
chains have the recorded moves and no others, so what is impossible, or certain, in the log stays
so: such numbers are not `trusted`.
"""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array

from first_occupancy.core.arguments import NonNegativeInt, PositiveInt, check_arguments
from first_occupancy.core.display import Displayed, span
from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.interop.data.corrected_intervals import CorrectedInterval, corrected_interval
from first_occupancy.interop.data.logs import Log
from first_occupancy.representations.arrival import OpenShare
from first_occupancy.representations.passages import Passage

TOGETHER = 2**20
"""Moves of the weighted chains that are solved side by side."""


class PassageIntervals(Displayed, eqx.Module):
    """Intervals of a recorded first passage, from each state.

    Attributes:
        probability: of the probability of arriving.
        mean: of the expected time, given arrival.
    """

    probability: CorrectedInterval
    mean: CorrectedInterval

    def _summary(self) -> str:
        lines = ["PassageIntervals"]
        for name, found in (("probability", self.probability), ("mean", self.mean)):
            widths = np.asarray(found.high - found.low)[np.asarray(found.trusted)]
            lines.append(f"{name}: {len(widths):,} trusted, widths {span(widths)}")
        return "\n  ".join(lines)


class RecordedPassage(Passage):
    """First passage of the chain that a log estimates; `intervals` says how well it is known."""

    def __init__(self, log: Log, moves: TimedMoves, *states: Any, **options: Any) -> None:
        super().__init__(moves, *states, **options)
        left = np.bincount(np.asarray(log.states), minlength=log.num_states)
        # How often each move was recorded. A state that was never left stays, whatever its weight.
        visits = np.repeat(np.maximum(left, 1), np.diff(moves.chain.indptr))
        self._counts = np.rint(moves.chain.data * visits)

    @check_arguments
    def intervals(
        self,
        *,
        level: OpenShare = 0.95,
        num_resamples: PositiveInt = 400,
        seed: NonNegativeInt = 0,
    ) -> PassageIntervals:
        """Return intervals of the probability and of the mean, from each state.

        Args:
            level: coverage of the intervals.
            num_resamples: number of weighted chains.
            seed: seed of the weights.
        """
        rng, size = np.random.default_rng(seed), self.moves.chain.shape[0]
        together = min(num_resamples, max(1, TOGETHER // self.moves.chain.nnz))
        left = range(num_resamples, 0, -together)
        drawn = [self._weighted(rng, min(together, number)) for number in left]
        return PassageIntervals(*(
            corrected_interval(
                jnp.asarray(getattr(self, name)),
                jnp.concatenate([getattr(each, name).reshape(-1, size) for each in drawn]),
                level=level,
                highest=highest,
            )
            for name, highest in (("probability", 1.0), ("mean", np.inf))
        ))  # fmt: skip

    def _weighted(self, rng: np.random.Generator, count: int) -> Passage:
        """Return the passage of several chains with moves weighted at random, side by side."""
        chain, blocks = self.moves.chain, np.arange(count)[:, None]
        size, number = chain.shape[0], chain.nnz
        drawn = rng.standard_gamma(self._counts, (count, number))
        sums = np.add.reduceat(drawn, chain.indptr[:-1], axis=1)
        drawn /= np.repeat(sums, np.diff(chain.indptr), axis=1)
        ends = (chain.indices + size * blocks).ravel()
        starts = np.append((chain.indptr[:-1] + number * blocks).ravel(), count * number)
        weighted = csr_array((drawn.ravel(), ends, starts), (count * size, count * size))
        states = ((each + size * blocks).ravel() for each in (self.targets, self.avoided))
        return Passage(TimedMoves(weighted), *states)
