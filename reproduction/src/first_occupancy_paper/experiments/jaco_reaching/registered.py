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
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats

from first_occupancy_paper.arm.runs.row_files import FIRST_ACTIONS
from first_occupancy_paper.arm.runs.run_config import FINETUNING, RunConfig, as_data
from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.jaco_reaching.run_curves import VARYING, Curves, Setup, split
from first_occupancy_paper.experiments.jaco_reaching.statistics import mean_returns

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

GAIN = "{} returns more over 100,000 steps of fine-tuning with bounded values than without"
LEAD = "With bounded values, APF returns more than APS over 430,000 steps of fine-tuning"
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

    def __str__(self) -> str:
        return f"{self.mean:+.1f} [{self.low:+.1f}, {self.high:+.1f}]"


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


def findings(found: Sequence[Setup]) -> list[Finding]:
    """Return the ledger's lines on the test; none if there is no run with its settings."""
    if not any(_is_of_the_test(setup, bounded=side) for setup in found for side in SEEDS):
        return []
    complete = complete_runs(found)
    result = None if missing_seeds(complete) else compare(complete)
    lines = [_line(GAIN.format(agent.upper()), agent, complete, result) for agent in AGENTS]
    return [*lines, _line(LEAD, None, complete, result)]


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


def _line(claim: str, agent: str | None, complete: Complete, result: Comparisons | None) -> Finding:
    """Return the line on an agent's gain or, without an agent, on the lead of APF."""
    paper, runs = "not in the paper", "seeds 25 to 34 with bounds less 10 to 19 without, Welch's t"
    if agent is None:
        paper, runs = "Fig. apf(b), of agents without bounds", "seeds 25 to 34, paired, Student's t"
    return Finding(
        claim=f"{claim} (registered)",
        paper=paper,
        ours=_missing(complete) if result is None else _told(agent, result),
        verdict=Verdict.NOT_RUN if result is None else VERDICTS[_primary(agent, result).outcome],
        why="Registered before the runs (protocols/arm_bounded.md): area under the curve, "
        f"{runs}. Holds if the interval ({PRIMARY:.2%}, as there are three such lines) lies above "
        f"0, does not hold if it lies below {MARGIN:g}, the smallest difference that would matter, "
        "not settled otherwise. Judged once all runs of both agents are complete; bounded runs of "
        "other seeds, which suggested the test, do not count.",
        figure=None if result is None else "reaching",
        # The lead is the paper's claim, which the first line on it counts.
        again=agent is None,
    )


def _primary(agent: str | None, result: Comparisons) -> Difference:
    return result.lead if agent is None else result.gains[agent]


def _told(agent: str | None, result: Comparisons) -> str:
    """Return a primary comparison in words, with the corresponding secondary one."""
    found, names = _primary(agent, result), ("APF", "APS") if agent is None else ("with", "without")
    later, last = (result.early_lead, EARLY) if agent is None else (result.later_gains[agent], LATE)
    recommended = "" if result.recommends_bounds else "not "
    return (
        f"Mean return {names[0]} {found.of[0]:.1f}, {names[1]} {found.of[1]:.1f}; difference "
        f"{found}: {found.outcome}. Up to step {last:,}, without a verdict: {later} (95%)"
        + (f". --bounded is {recommended}recommended" if agent is not None else "")
    )


def _missing(complete: Complete) -> str:
    """Return which runs are not complete, in words."""
    sides = [
        f"{agent.upper()} seeds {_listed(seeds)}{'' if bounded else ' without bounds'}"
        for (agent, bounded), seeds in missing_seeds(complete).items()
    ]
    return f"not run yet: {'; '.join(sides)}"


def _listed(seeds: Sequence[int]) -> str:
    """Return numbers in words, neighbours as a range: "3, 7 to 9"."""
    starts = [seed for seed in seeds if seed - 1 not in seeds]
    ends = [seed for seed in seeds if seed + 1 not in seeds]
    pairs = zip(starts, ends, strict=True)
    return ", ".join(f"{low}" if low == high else f"{low} to {high}" for low, high in pairs)
