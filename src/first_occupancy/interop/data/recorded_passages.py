"""First passage of chains that were recorded, with intervals.

The estimate is that of the chain with the recorded frequencies. For intervals the recorded moves
are weighted at random (Bayesian bootstrap, as in `log_intervals`), the passage is computed for each
of the weighted chains, and the spread is corrected for bias and skewness (`corrected_intervals`).
All weighted chains have the recorded moves and no others, so what is impossible, or certain, in the
log stays so: such numbers are not `trusted`.
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
        drawn = [self._weighted(rng) for _ in range(num_resamples)]
        return PassageIntervals(*(
            corrected_interval(
                jnp.asarray(getattr(self, name)),
                jnp.asarray([getattr(passage, name) for passage in drawn]),
                level=level,
                highest=highest,
            )
            for name, highest in (("probability", 1.0), ("mean", np.inf))
        ))  # fmt: skip

    def _weighted(self, rng: np.random.Generator) -> Passage:
        """Return the passage of a chain whose recorded moves are weighted at random."""
        chain = self._moves.chain
        drawn = rng.standard_gamma(self.counts)
        drawn /= np.repeat(np.add.reduceat(drawn, chain.indptr[:-1]), np.diff(chain.indptr))
        weighted = csr_array((drawn, chain.indices, chain.indptr), chain.shape)
        return Passage(TimedMoves(weighted), self.targets, self.avoided)


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
