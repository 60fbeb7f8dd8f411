"""The ledger's lines on two choices of ours in APF, by the rule of a registered comparison.

`protocols/arm_variants.md` fixed the runs, the measure and the intervals beforehand.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import Line, Verdict, line
from ..answers import interval_of
from .comparing import about, by_seed, difference, mean_returns, settled
from .run_curves import Setup, finetuning_curves, last_targets, span_of

SEEDS = tuple(range(20, 30))
"""The seeds of the comparison; none had been run in small networks before."""
STEPS, WIDTH = 60_000, 128
TESTS = 2
"""Two variants are compared with one APF."""


def is_soft(setup: Setup) -> bool:
    """Return whether the features of a setup are soft: reached to a degree, without a threshold."""
    return setup.config["threshold"] is None


def variants(found: Sequence[Setup]) -> list[Line]:
    """Return a line for each variant of which all runs of the comparison are there."""
    there = [setup for setup in found if _fits(setup)]
    usual = [setup for setup in there if not is_soft(setup) and _runs(setup, "apf")]
    exact = [setup for setup in there if not is_soft(setup) and _runs(setup, "apf_exact")]
    soft = [setup for setup in there if is_soft(setup) and _runs(setup, "apf")]
    return [
        *(_line("exact", setup, "apf_exact", base) for base in usual for setup in exact),
        *(_line("soft", setup, "apf", base) for base in usual for setup in soft),
    ]


def _fits(setup: Setup) -> bool:
    usual = {"width": WIDTH, "hand_over": "as_published", "bounded": False}
    return setup.has({"pretraining_steps": STEPS, "finetuning_steps": STEPS, **usual})


def _runs(setup: Setup, agent: str) -> dict[int, float] | None:
    """Return the mean return of each run of the comparison; None unless all are there."""
    curves = finetuning_curves(setup, agent)
    if curves is None or curves.steps[-1] < STEPS or not set(SEEDS) <= set(curves.seeds):
        return None
    means = by_seed(curves, mean_returns(curves))
    return {seed: means[seed] for seed in SEEDS}


def _line(variant: str, setup: Setup, agent: str, base: Setup) -> Line:
    ours, usual = _runs(setup, agent) or {}, _runs(base, "apf") or {}
    lead = difference(ours, usual, tests=TESTS)
    return line(
        f"variant:{variant}",
        settled(lead.low > 0, lead.high < 0, Verdict.HOLDS, Verdict.FAILS),
        "variant",
        variant=variant,
        width=WIDTH,
        ours=_numbers(setup, agent, ours),
        usual=_numbers(base, "apf", usual),
        lead=lead,
        **about(setup),
    )


def _numbers(setup: Setup, agent: str, means: dict[int, float]) -> dict[str, Any]:
    returns, targets = np.array(list(means.values())), last_targets(setup, agent)
    lasts = [target for seed, target in targets.items() if seed in SEEDS]
    return {"mean": returns.mean(), "interval": interval_of(returns), **span_of(lasts)}
