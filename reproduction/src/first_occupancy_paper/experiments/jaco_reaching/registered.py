"""The registered test of bounded values: which runs it compares, and how they decide it.

`protocols/arm_bounded.md` fixed all of this before the first of these runs. The mean return
of a run up to a step is the area under its curve of evaluations, divided by the steps. Three
primary comparisons share an error rate of 5%:

| comparison | up to step | interval |
| --- | --- | --- |
| APF with bounds (seeds 25 to 34) less APF without (10 to 19) | 100,000 | Welch's t |
| APS with bounds (seeds 25 to 34) less APS without (10 to 19) | 100,000 | Welch's t |
| APF less APS, both with bounds, paired by seed (25 to 34) | 430,000 | Student's t |

Nothing is judged before all of these runs have been evaluated up to step 430,000. Bounded runs of
other seeds suggested the test and are not pooled with its own.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from first_occupancy_paper.arm.runs.run_config import FINETUNING, RunConfig

from .. import Line, Row, Verdict, line, where
from .comparing import Lead, by_seed, difference, mean_returns
from .run_curves import Curves, Setup, settings_of, split

AGENTS = ("apf", "aps")
SEEDS = {True: range(25, 35), False: range(10, 20)}
"""Seeds of the test, with bounds and without."""
EARLY, LATE = 100_000, 430_000
STEPS = range(0, LATE + 10_000, 10_000)
"""Steps at which a complete run has been evaluated."""
COMPARED = {"apf": (EARLY, LATE), "aps": (EARLY, LATE), None: (LATE, EARLY)}
"""The step of the primary comparison, and that of the secondary one, which has no outcome: of each
agent's gain from bounds and, under None, of the lead of APF over APS, both with bounds."""
MARGIN = 10.0
"""The smallest difference of mean returns that would matter."""
TESTS = 3
"""Number of primary comparisons, which share an error rate of 5%."""
SETTINGS = settings_of(
    RunConfig(
        pretraining_steps=500_000, finetuning_steps=500_000, environments=8, precision="bfloat16"
    ),
    "bounded",
)
"""Settings of all runs of the test, with bounds and without."""

VERDICTS = {
    "confirmed": Verdict.HOLDS,
    "refuted": Verdict.FAILS,
    "not settled": Verdict.UNSETTLED,
}

Side = tuple[str, bool]
"""An agent, and whether its values are bounded."""
Complete = Mapping[Side, Mapping[int, Mapping[int, float]]]
"""Returns of the test's complete runs, by seed and step of fine-tuning."""


def set_apart(found: Sequence[Setup]) -> list[Setup]:
    """Return the setups, with bounded runs of the test apart from those that suggested it.

    Each of the two parts gets a setting `part`, "registered" or "exploratory".
    """
    names = {True: "registered", False: "exploratory"}
    return split(found, SETTINGS | {"bounded": True}, SEEDS[True], names)


def lines(found: Sequence[Setup]) -> list[Line]:
    """Return the ledger's lines on the test; none if there is no run with its settings."""
    if not any(setup.has(SETTINGS) for setup in found):
        return []
    complete = complete_runs(found)
    missing = missing_seeds(complete)
    sides = [_side(*side, seeds) for side, seeds in missing.items()]
    compared = {} if missing else compare(complete)
    return [
        line(
            f"registered_gain:{agent}" if agent else "registered_lead",
            VERDICTS[outcome(compared[agent][0])] if compared else Verdict.NOT_RUN,
            "registered",
            # The lead is the paper's claim, which the first line on it counts.
            again=agent is None,
            agent=agent and agent.upper(),
            primary=1 - 0.05 / TESTS,
            margin=MARGIN,
            complete=bool(compared),
            sides=sides,
            **(_numbers(compared, agent) if compared else {}),
        )
        for agent in COMPARED
    ]


def complete_runs(found: Sequence[Setup]) -> Complete:
    """Return the complete runs of the test; a return that is not finite counts as 0."""
    return {
        (agent, bounded): {
            seed: curve
            for setup in found
            if setup.has(SETTINGS | {"bounded": bounded})
            for seed, rows in setup.runs.get(agent, {}).items()
            if seed in SEEDS[bounded] and set(STEPS) <= (curve := _curve(rows)).keys()
        }
        for agent in AGENTS
        for bounded in SEEDS
    }


def missing_seeds(complete: Complete) -> dict[Side, list[int]]:
    """Return the seeds of the test whose runs are not complete yet, for sides with such seeds."""
    return {
        side: missing
        for side, runs in complete.items()
        if (missing := [seed for seed in SEEDS[side[1]] if seed not in runs])
    }


def compare(complete: Complete) -> dict[str | None, tuple[Lead, Lead]]:
    """Return the primary and the secondary comparison for each entry of `COMPARED`."""
    return {
        agent: (
            _difference(complete, agent, primary, tests=TESTS),
            _difference(complete, agent, secondary, tests=1),
        )
        for agent, (primary, secondary) in COMPARED.items()
    }


def outcome(lead: Lead) -> str:
    """Return what the interval decides by the registered rule: the first case that applies."""
    if lead.low > 0:
        return "confirmed"
    return "refuted" if lead.high < MARGIN else "not settled"


def recommends_bounds(compared: Mapping[str | None, tuple[Lead, Lead]]) -> bool:
    """Return whether both gains are confirmed and neither later gain is below 0."""
    gains = [compared[agent] for agent in AGENTS]
    return all(outcome(gain) == "confirmed" and later.high >= 0 for gain, later in gains)


def _difference(complete: Complete, agent: str | None, last: int, *, tests: int) -> Lead:
    """Return an agent's gain from bounds or, without an agent, the lead of APF over APS."""
    sides = ((agent, True), (agent, False)) if agent else (("apf", True), ("aps", True))
    ours, theirs = (_means(complete[side], last) for side in sides)
    return difference(ours, theirs, tests=tests)


def _means(runs: Mapping[int, Mapping[int, float]], last: int) -> dict[int, float]:
    """Return the mean return of each run up to a step."""
    returns = np.array([[run[step] for step in STEPS] for run in runs.values()])
    curves = Curves(tuple(runs), np.array(STEPS), returns)
    return by_seed(curves, mean_returns(curves.until(last)))


def _curve(rows: Sequence[Row]) -> dict[int, float]:
    """Return a run's evaluations while it was fine-tuned, by step."""
    found = {row["step"]: row["evaluation_return"] for row in where(rows, phase=FINETUNING)}
    return {step: x if x is not None and math.isfinite(x) else 0.0 for step, x in found.items()}


def _numbers(compared: Mapping[str | None, tuple[Lead, Lead]], agent: str | None) -> dict[str, Any]:
    """Return the numbers of a line on complete runs: the secondary comparison has no verdict."""
    found, other = compared[agent]
    return {
        "found": found,
        "outcome": outcome(found),
        "step": COMPARED[agent][1],
        "other": other,
        "recommended": recommends_bounds(compared),
    }


def _side(agent: str, bounded: bool, seeds: Sequence[int]) -> dict[str, Any]:
    """Return which runs of a side are not complete, neighbouring seeds as ranges."""
    starts = [seed for seed in seeds if seed - 1 not in seeds]
    ends = [seed for seed in seeds if seed + 1 not in seeds]
    ranges = [
        {"low": low, "high": high, "several": low != high}
        for low, high in zip(starts, ends, strict=True)
    ]
    return {"agent": agent.upper(), "ranges": ranges, "bounds": bounded}
