"""FRs and SRs of the chains estimated from a log, with intervals if they are wanted."""

from typing import Any

import equinox as eqx
import jax

from first_occupancy.core.arguments import check_arguments
from first_occupancy.interop.data.corrected_intervals import (
    CorrectedInterval,
    estimate_with_interval,
)
from first_occupancy.interop.data.logs import Log, count_transitions
from first_occupancy.representations import (
    Occupancies,
    Representation,
    first_occupancy,
)


class EstimatedOccupancies(Occupancies):
    """FRs or SRs of the chains estimated from a log, with what is known of their errors.

    They plan like other FRs. A saved file holds the values without intervals.

    Attributes:
        interval: bias-corrected estimates and intervals of each entry; None if not asked for.
        step: what a step is, such as "move" or "0.1 s".
    """

    interval: CorrectedInterval | None
    step: str = eqx.field(static=True)

    def __init__(
        self, *values: Any, interval: CorrectedInterval | None, step: str, **facts: Any
    ) -> None:
        """Check and keep everything."""
        super().__init__(*values, **facts)
        self.interval, self.step = interval, step

    def _summary(self) -> str | None:
        text = super()._summary()
        if text is None or self.interval is None:
            return text
        trusted = self.interval.trusted
        return f"{text}\n  with intervals, {int(trusted.sum()):,} of {trusted.size:,} trusted"


@check_arguments
def frs_from_log(
    transitions: Log,
    *,
    discount: float,
    representation: Representation = first_occupancy,
    interval: float | None = None,
    num_resamples: int = 200,
    seed: int = 0,
) -> EstimatedOccupancies:
    """Return the exact FRs of the chains estimated from a log, with its names.

    Args:
        transitions: log of one or several policies.
        discount: discount factor per step, from 0 to 1 (exclusive).
        representation: what to solve for: `fo.first_occupancy` or `fo.successor`.
        interval: coverage of bias-corrected intervals (`estimate_with_interval`), such as 0.95;
            None for no intervals.
        num_resamples: number of resampled logs behind the intervals.
        seed: seed of the resampling.

    >>> from first_occupancy.interop.data.logs import transition_log
    >>> walk = transition_log([0, 1, 0, 1], [1, 2, 1, 2], num_states=4)
    >>> frs_from_log(walk, discount=0.5).values[0, 0].tolist()
    [1.0, 0.5, 0.25, 0.0]
    >>> count_transitions(walk).visited[0].tolist()
    [True, True, False, False]
    """
    counts, found = count_transitions(transitions), None
    if interval is not None:
        found = estimate_with_interval(
            counts,
            jax.random.key(seed),
            discount=discount,
            level=interval,
            num_resamples=num_resamples,
            representation=representation,
        )
    return EstimatedOccupancies(
        representation.solve(counts.chains, discount=discount),
        discount=discount,
        representation=representation,
        state_names=counts.state_names,
        policy_names=counts.policy_names,
        interval=found,
        step=transitions.step,
    )
