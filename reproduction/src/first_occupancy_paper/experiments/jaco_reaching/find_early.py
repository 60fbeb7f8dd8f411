"""The ledger's line on an early lead, a hypothesis that was judged by seeds run after it."""

from collections.abc import Sequence

import numpy as np

from first_occupancy_paper.arm.runs.run_config import RunConfig

from .. import Line, Verdict, line
from ..answers import Interval
from .comparing import (
    difference,
    interquartile_mean,
    interval,
    mean_returns,
    pair_of,
    resampled,
    settled,
)
from .run_curves import Setup, settings_of

EARLY_STEPS, EARLY_SEEDS = 100_000, range(10, 20)
"""The lead was seen in seeds 0 to 9, so it is judged by these seeds, once all have been run."""
EARLY_SETTINGS = settings_of(
    RunConfig(pretraining_steps=500_000, environments=8, precision="bfloat16"),
    *("finetuning_steps", "first_actions"),
)
"""Settings with which it was seen."""


def early(setup: Setup) -> Line | None:
    """Return the line on a hypothesis, judged by seeds that were run after it was made."""
    pair = pair_of(setup)
    if pair is None or not setup.has(EARLY_SETTINGS) or pair[0].steps[-1] < EARLY_STEPS:
        return None
    before, after = (
        [mean_returns(curves.until(EARLY_STEPS))[np.isin(curves.seeds, seeds)] for curves in pair]
        for seeds in (range(EARLY_SEEDS.start), EARLY_SEEDS)
    )
    seen, complete = all(map(len, before)), min(map(len, after)) == len(EARLY_SEEDS)
    verdict, lead, paired = Verdict.NOT_RUN, None, None
    if complete:
        lead, paired = _lead(after), difference(*(dict(enumerate(each)) for each in after))
        verdict = settled(lead.low > 0, lead.high < 0, Verdict.HOLDS, Verdict.FAILS)
    return line(
        "early",
        verdict,
        "later seeds",
        complete=complete,
        seeds=(EARLY_SEEDS.start, EARLY_SEEDS.stop - 1),
        last_seen=EARLY_SEEDS.start - 1,
        seen=seen,
        before=_middles(before) if seen else None,
        after=_middles(after) if complete else None,
        lead=lead,
        paired_t=paired,
    )


def _lead(areas: Sequence[np.ndarray]) -> Interval:
    """Return the interval by which mean returns of APF exceed those of APS."""
    apf, aps = (resampled(each, interquartile_mean, seed=i) for i, each in enumerate(areas))
    return interval(apf - aps)


def _middles(areas: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    apf, aps = map(interquartile_mean, areas)
    return {"apf": apf, "aps": aps}
