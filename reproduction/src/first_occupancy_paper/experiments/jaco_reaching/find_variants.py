"""The ledger's lines on two choices of ours in APF, by the rule of a registered comparison.

`protocols/arm_variants.md` fixed the runs, the measure and the intervals beforehand.
"""

from collections.abc import Sequence

import numpy as np

from first_occupancy_paper.experiments import Finding, Verdict
from first_occupancy_paper.experiments.jaco_reaching.comparing import settled, span
from first_occupancy_paper.experiments.jaco_reaching.run_curves import (
    Setup,
    finetuning_curves,
    largest_targets,
)
from first_occupancy_paper.experiments.jaco_reaching.statistics import (
    difference,
    mean_interval,
    mean_returns,
)
from first_occupancy_paper.experiments.jaco_reaching.wording import what_was_run

SEEDS = tuple(range(20, 30))
"""The seeds of the comparison; none had been run in small networks before."""
STEPS, WIDTH = 60_000, 128
TESTS = 2
"""Two variants are compared with one APF."""
EXACT = "APF whose targets account for every step of a window returns more than APF"
SOFT = "APF with soft features, without a threshold, returns more than APF"


def is_soft(setup: Setup) -> bool:
    """Return whether the features of a setup are soft: reached to a degree, without a threshold."""
    return setup.config["threshold"] is None


def variants(found: Sequence[Setup]) -> list[Finding]:
    """Return a line for each variant of which all runs of the comparison are there."""
    usual = [setup for setup in found if _fits(setup) and not is_soft(setup)]
    soft = [setup for setup in found if _fits(setup) and is_soft(setup)]
    lines = [
        _line(EXACT, setup, "apf_exact", base)
        for base in usual
        for setup in usual
        if _runs(base, "apf") and _runs(setup, "apf_exact")
    ]
    lines += [
        _line(SOFT, setup, "apf", base)
        for base in usual
        for setup in soft
        if _runs(base, "apf") and _runs(setup, "apf")
    ]
    return lines


def _fits(setup: Setup) -> bool:
    config = setup.config
    steps = config["pretraining_steps"], config["finetuning_steps"]
    usual = config["hand_over"] == "as_published" and not config["bounded"]
    return steps == (STEPS, STEPS) and config["width"] == WIDTH and usual


def _runs(setup: Setup, agent: str) -> dict[int, float] | None:
    """Return the mean return of each run of the comparison; None unless all are there."""
    curves = finetuning_curves(setup, agent)
    if curves is None or curves.steps[-1] < STEPS or not set(SEEDS) <= set(curves.seeds):
        return None
    means = dict(zip(curves.seeds, mean_returns(curves), strict=True))
    return {seed: float(means[seed]) for seed in SEEDS}


def _line(claim: str, setup: Setup, agent: str, base: Setup) -> Finding:
    ours, usual = _runs(setup, agent) or {}, _runs(base, "apf") or {}
    mean, low, high = difference(ours, usual, tests=TESTS)
    return Finding(
        claim=f"{claim} (handed over as published, width {WIDTH})",
        paper="The paper gives no threshold, and a target with one step of look-ahead",
        ours="Mean return while learning (area under the curve over steps), mean over ten seeds: "
        f"{_told(ours)}, APF {_told(usual)}. Difference: {mean:+.1f} [{span((low, high))}]. "
        f"Largest targets when pre-training ends: {_largest(setup, agent)}, APF "
        f"{_largest(base, 'apf')}",
        verdict=settled(low > 0, high < 0, Verdict.HOLDS, Verdict.FAILS),
        why="By a rule that was written down before the runs: holds if the difference's interval "
        "lies above 0, does not if it lies below, not settled while it holds 0. Intervals: 95%, t "
        "over seeds; of the difference 97.5%, because two variants are compared, by seeds, which "
        f"both share. {what_was_run(setup)}.",
    )


def _told(means: dict[int, float]) -> str:
    numbers = np.array(list(means.values()))
    return f"{numbers.mean():.1f} [{span(mean_interval(numbers))}]"


def _largest(setup: Setup, agent: str) -> str:
    targets = largest_targets(setup, agent)
    lasts = [targets[seed][-1][1] for seed in SEEDS if targets.get(seed)]
    finite = [last for last in lasts if last is not None]
    return f"{min(finite):.0f} to {max(finite):.0f}" if finite else "not finite"
