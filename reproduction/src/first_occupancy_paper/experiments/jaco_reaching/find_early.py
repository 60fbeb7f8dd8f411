"""The ledger's line on an early lead, a hypothesis that was judged by seeds run after it."""

from collections.abc import Sequence

import numpy as np

from first_occupancy_paper.arm.runs.run_config import RunConfig, as_data
from first_occupancy_paper.experiments import Finding, Verdict
from first_occupancy_paper.experiments.jaco_reaching.comparing import pair_of, settled, span
from first_occupancy_paper.experiments.jaco_reaching.run_curves import Setup
from first_occupancy_paper.experiments.jaco_reaching.statistics import (
    difference,
    interquartile_mean,
    interval,
    mean_returns,
    resampled,
)
from first_occupancy_paper.experiments.jaco_reaching.wording import how, what_was_run

EARLY = "APF is ahead of APS over the first 100,000 steps of fine-tuning"
EARLY_STEPS, EARLY_SEEDS = 100_000, range(10, 20)
"""The lead was seen in seeds 0 to 9, so it is judged by these seeds, once all have been run."""
EARLY_SETTINGS = {"pretraining_steps": 500_000, "environments": 8, "precision": "bfloat16"}
"""Settings with which it was seen, as far as they are not the defaults."""


def early(setup: Setup) -> Finding | None:
    """Return the line on a hypothesis, judged by seeds that were run after it was made."""
    pair = pair_of(setup)
    if pair is None or not _is_of_the_guess(setup) or pair[0].steps[-1] < EARLY_STEPS:
        return None
    before, after = (
        [mean_returns(curves.until(EARLY_STEPS))[np.isin(curves.seeds, seeds)] for curves in pair]
        for seeds in (range(EARLY_SEEDS.start), EARLY_SEEDS)
    )
    ours, verdict = _confirmed(after)
    seen = f" ({_middles(before)})" if all(map(len, before)) else ""
    return Finding(
        claim=f"{EARLY}{how(setup)}",
        paper="not in the paper",
        ours=ours,
        verdict=verdict,
        why=f"Area under the curve. Seen in seeds 0 to {EARLY_SEEDS.start - 1}{seen}, and so to be "
        f"judged by {_those()} alone, all at once: holds if the interval (95%, by bootstrap over "
        "seeds, as the rule was set down; the paired t interval is "
        f"{_paired(after)}) lies above 0, fails if it lies below. {what_was_run(setup)}.",
        figure="reaching",
    )


def _confirmed(areas: Sequence[np.ndarray]) -> tuple[str, Verdict]:
    """Return what mean returns of APF and APS say about the hypothesis, and the verdict."""
    if min(map(len, areas)) < len(EARLY_SEEDS):
        return f"not run yet: {_those()}", Verdict.NOT_RUN
    spread = [resampled(each, interquartile_mean, seed=i) for i, each in enumerate(areas)]
    low, high = interval(spread[0] - spread[1])
    verdict = settled(low > 0, high < 0, Verdict.HOLDS, Verdict.FAILS)
    ours = f"Mean return of {_those()}: {_middles(areas)}; APF less APS [{span((low, high))}]"
    return ours, verdict


def _those() -> str:
    return f"seeds {EARLY_SEEDS.start} to {EARLY_SEEDS.stop - 1}"


def _middles(areas: Sequence[np.ndarray]) -> str:
    apf, aps = map(interquartile_mean, areas)
    return f"interquartile means: APF {apf:.1f}, APS {aps:.1f}"


def _is_of_the_guess(setup: Setup) -> bool:
    """Return whether the settings are those of the hypothesis, the steps of fine-tuning aside."""
    free = {"agents", "seeds", "finetuning_steps"}
    settings = {**as_data(RunConfig()), **EARLY_SETTINGS}
    return all(setup.config[name] == settings[name] for name in settings.keys() - free)


def _paired(areas: Sequence[np.ndarray]) -> str:
    """Return the interval of the mean difference of APF and APS, which share seeds."""
    if min(map(len, areas)) < len(EARLY_SEEDS):
        return "to come"
    apf, aps = (dict(enumerate(map(float, each))) for each in areas)
    return f"[{span(difference(apf, aps)[1:])}]"
