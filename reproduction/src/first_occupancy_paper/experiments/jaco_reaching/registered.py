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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats

from first_occupancy_paper.arm.runs.row_files import FIRST_ACTIONS
from first_occupancy_paper.arm.runs.run_config import FINETUNING, RunConfig, as_data

from .. import Line, Row, Verdict, line
from .comparing import mean_returns
from .run_curves import VARYING, Curves, Setup, split

AGENTS = ("apf", "aps")
SEEDS = {True: range(25, 35), False: range(10, 20)}
"""Seeds of the test, with bounds and without."""
EARLY, LATE = 100_000, 430_000
STEPS = range(0, LATE + 10_000, 10_000)
"""Steps at which a complete run has been evaluated."""
MARGIN = 10.0
"""The smallest difference of mean returns that would matter."""
PRIMARY, SECONDARY = 1 - 0.05 / 3, 0.95
"""Coverage of the intervals."""

_RUN = RunConfig(
    pretraining_steps=500_000, finetuning_steps=500_000, environments=8, precision="bfloat16"
)
SETTINGS = {
    name: value
    for name, value in (as_data(_RUN) | {"first_actions": FIRST_ACTIONS[2]}).items()
    if name not in (*VARYING, "bounded")
}
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


class Difference(NamedTuple):
    """The mean return of some runs less that of others, with its interval.

    Attributes:
        mean: the difference.
        low: lower end of its interval.
        high: upper end of its interval.
        of: the two mean returns.
    """

    mean: float
    low: float
    high: float
    of: tuple[float, float]

    @property
    def outcome(self) -> str:
        """What the interval decides by the registered rule: the first case that applies."""
        if self.low > 0:
            return "confirmed"
        return "refuted" if self.high < MARGIN else "not settled"


@dataclass(frozen=True)
class Comparisons:
    """All registered comparisons, of which the secondary ones have no outcome.

    Attributes:
        gains: each agent's gain from bounds, up to step 100,000.
        lead: the lead of APF over APS, both with bounds, up to step 430,000.
        later_gains: the gains up to step 430,000 (secondary).
        early_lead: the lead up to step 100,000 (secondary).
    """

    gains: Mapping[str, Difference]
    lead: Difference
    later_gains: Mapping[str, Difference]
    early_lead: Difference

    @property
    def recommends_bounds(self) -> bool:
        """Whether both gains are confirmed and neither later gain is below 0."""
        gained = all(each.outcome == "confirmed" for each in self.gains.values())
        return gained and not any(each.high < 0 for each in self.later_gains.values())


def set_apart(found: Sequence[Setup]) -> list[Setup]:
    """Return the setups, with bounded runs of the test apart from those that suggested it.

    Each of the two parts gets a setting `part`, "registered" or "exploratory".
    """
    apart: list[Setup] = []
    for setup in found:
        of_the_test = _is_of_the_test(setup, bounded=True)
        apart += split(setup, ("registered", "exploratory"), _part) if of_the_test else [setup]
    return apart


def lines(found: Sequence[Setup]) -> list[Line]:
    """Return the ledger's lines on the test; none if there is no run with its settings."""
    if not any(_is_of_the_test(setup, bounded=side) for setup in found for side in SEEDS):
        return []
    complete = complete_runs(found)
    missing = missing_seeds(complete)
    if missing:
        sides = [_side(*side, seeds) for side, seeds in missing.items()]
        about = {"complete": False, "sides": sides}
        found_lines = dict.fromkeys((*AGENTS, None), (Verdict.NOT_RUN, about))
    else:
        result = compare(complete)
        found_lines = {agent: _numbers(agent, result) for agent in (*AGENTS, None)}
    return [
        line(
            f"registered_gain:{agent}" if agent else "registered_lead",
            verdict,
            "registered",
            # The lead is the paper's claim, which the first line on it counts.
            again=agent is None,
            agent=agent and agent.upper(),
            primary=PRIMARY,
            margin=MARGIN,
            **numbers,
        )
        for agent, (verdict, numbers) in found_lines.items()
    ]


def complete_runs(found: Sequence[Setup]) -> Complete:
    """Return the complete runs of the test; a return that is not finite counts as 0."""
    return {
        (agent, bounded): {
            seed: curve
            for setup in found
            if _is_of_the_test(setup, bounded=bounded)
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


def compare(complete: Complete) -> Comparisons:
    """Return all registered comparisons of the runs, all of which must be complete."""
    curves = {side: _curves(SEEDS[side[1]], runs) for side, runs in complete.items()}
    early, late = (
        {side: mean_returns(each.until(last)) for side, each in curves.items()}
        for last in (EARLY, LATE)
    )
    return Comparisons(
        gains={agent: _gain(early, agent, PRIMARY) for agent in AGENTS},
        lead=_lead(late, PRIMARY),
        later_gains={agent: _gain(late, agent, SECONDARY) for agent in AGENTS},
        early_lead=_lead(early, SECONDARY),
    )


def _gain(means: Mapping[Side, np.ndarray], agent: str, level: float) -> Difference:
    bounded, unbounded = means[agent, True], means[agent, False]
    found = stats.ttest_ind(bounded, unbounded, equal_var=False)
    return _difference(bounded, unbounded, found.confidence_interval(level))


def _lead(means: Mapping[Side, np.ndarray], level: float) -> Difference:
    apf, aps = means["apf", True], means["aps", True]
    return _difference(apf, aps, stats.ttest_rel(apf, aps).confidence_interval(level))


def _difference(x: np.ndarray, y: np.ndarray, interval: Iterable[float]) -> Difference:
    low, high = map(float, interval)
    return Difference(float(x.mean() - y.mean()), low, high, (float(x.mean()), float(y.mean())))


def _curves(seeds: Iterable[int], runs: Mapping[int, Mapping[int, float]]) -> Curves:
    returns: Float[np.ndarray, "R X"] = np.array([[runs[s][step] for step in STEPS] for s in seeds])
    return Curves(tuple(seeds), np.array(STEPS), returns)


def _curve(rows: Sequence[Row]) -> dict[int, float]:
    """Return a run's evaluations while it was fine-tuned, by step."""
    found = {r["step"]: r["evaluation_return"] for r in rows if r["phase"] == FINETUNING}
    return {step: x if x is not None and math.isfinite(x) else 0.0 for step, x in found.items()}


def _is_of_the_test(setup: Setup, *, bounded: bool) -> bool:
    settings = SETTINGS | {"bounded": bounded}
    return all(setup.config[name] == value for name, value in settings.items())


def _part(seed: int) -> str:
    return "registered" if seed in SEEDS[True] else "exploratory"


def _numbers(agent: str | None, result: Comparisons) -> tuple[Verdict, dict[str, Any]]:
    """Return the verdict on an agent's gain or, without an agent, on the lead; and its numbers.

    A secondary comparison, up to another step, is shown without a verdict.
    """
    found, other, step = result.lead, result.early_lead, EARLY
    if agent is not None:
        found, other, step = result.gains[agent], result.later_gains[agent], LATE
    return VERDICTS[found.outcome], {
        "complete": True,
        "found": found,
        "primary_of": found.of,
        "step": step,
        "other": other,
        "recommended": result.recommends_bounds,
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
