"""First passage of chains that were recorded, with intervals.

The estimate is that of the chain with the recorded frequencies. For intervals the recorded moves
are weighted at random (Bayesian bootstrap, as in `resampled_logs`), the passage is computed for
each of the weighted chains, and the spread is corrected for bias and skewness
(`corrected_intervals`). All weighted chains have the recorded moves and no others, so what is
impossible, or certain, in the log stays so: such numbers are not `trusted`.
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from scipy.sparse import csr_array

from first_occupancy.core.arguments import NonNegativeInt, PositiveInt, check_arguments
from first_occupancy.core.display import Displayed, span
from first_occupancy.core.errors import InputError
from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.interop.data.corrected_intervals import CorrectedInterval, corrected_interval
from first_occupancy.interop.data.logs import Log, sparse_chains
from first_occupancy.representations.arrival import OpenShare
from first_occupancy.representations.passages import Passage

TOGETHER = 200
"""States up to which all weighted chains are solved together, as dense matrices."""


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
            trusted = np.asarray(found.trusted)
            widths = np.asarray(found.high - found.low)[trusted]
            lines.append(f"{name}: {trusted.sum():,} trusted, widths {span(widths)}")
        return "\n  ".join(lines)


class RecordedPassage(Passage):
    """First passage of the chain that a log estimates; `intervals` says how well it is known.

    Attributes:
        counts: how often each move of the chain was recorded; 1 where a state was never left.
    """

    counts: Float[np.ndarray, " E"]

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
        rng = np.random.default_rng(seed)
        probabilities, means = self._weighted(rng, num_resamples)
        values, times = jnp.asarray(self.probability), jnp.asarray(self.mean)
        return PassageIntervals(
            corrected_interval(values, jnp.asarray(probabilities), level=level),
            corrected_interval(times, jnp.asarray(means), level=level, highest=np.inf),
        )

    def _weighted(
        self, rng: np.random.Generator, count: int
    ) -> tuple[Float[np.ndarray, "B S"], Float[np.ndarray, "B S"]]:
        """Return probabilities and means of chains whose recorded moves are weighted at random."""
        chain, counts = self._moves.chain, self.counts
        lengths, size = np.diff(chain.indptr), chain.shape[0]
        rows, inner = np.repeat(np.arange(size), lengths), self._entries.states
        probabilities = np.tile(self.probability, (count, 1))
        means = np.tile(self.mean, (count, 1))
        for begin in range(0, count, TOGETHER):
            some = slice(begin, min(begin + TOGETHER, count))
            drawn = rng.standard_gamma(counts, (some.stop - begin, len(counts)))
            sums = np.add.reduceat(drawn, chain.indptr[:-1], axis=1)
            drawn /= np.repeat(sums, lengths, axis=1)
            if len(inner) > TOGETHER:
                found = [self._one(each) for each in drawn]
            else:
                found = self._together(drawn, rows)
            for place, (values, times) in enumerate(found, begin):
                probabilities[place, inner], means[place, inner] = values, times
        return probabilities, means

    def _one(self, chances: Float[np.ndarray, " E"]) -> tuple[np.ndarray, np.ndarray]:
        chain = self._moves.chain
        weighted = csr_array((chances, chain.indices, chain.indptr), chain.shape)
        passage = Passage(TimedMoves(weighted), self.targets, self.avoided)
        inner = self._entries.states
        return passage.probability[inner], passage.mean[inner]

    def _together(
        self, chances: Float[np.ndarray, "b E"], rows: np.ndarray
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the results for several chains, by dense solves of all of them at once."""
        inner, ends = self._entries.states, self._moves.chain.indices
        number = np.full(self._size, -1)
        number[inner] = np.arange(len(inner))
        targets = np.isin(ends, self.targets)
        within, into = (number[rows] >= 0) & (number[ends] >= 0), (number[rows] >= 0) & targets
        system = np.tile(np.eye(len(inner)), (len(chances), 1, 1))
        entering = np.zeros((len(inner), len(chances)))
        np.add.at(entering, number[rows[into]], chances[:, into].T)
        system[:, number[rows[within]], number[ends[within]]] -= chances[:, within]
        values = np.linalg.solve(system, entering.T[..., None])
        times = np.linalg.solve(system, values) / values
        return list(zip(np.clip(values[..., 0], 0, 1), times[..., 0], strict=True))


def recorded_passage(
    log: Log, targets: np.ndarray, avoided: np.ndarray, discount: float
) -> RecordedPassage:
    """Return the first passage of the chain of a log's only policy.

    Raises:
        InputError: if the log has several policies.
    """
    if log.num_policies != 1:
        raise InputError(
            f"hitting: a log must have one policy, got {log.num_policies}; pass the moves of one"
        )
    chain = sparse_chains(log)[0]
    passage = RecordedPassage(
        TimedMoves(chain), targets, avoided, discount=discount, state_names=log.state_names
    )
    moved = np.bincount(np.asarray(log.states), minlength=log.num_states)
    # A state that was never left stays where it is, whatever its weight.
    visits = np.repeat(np.maximum(moved, 1), np.diff(chain.indptr))
    passage.counts = np.rint(chain.data * visits)
    return passage
