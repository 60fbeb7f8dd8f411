"""Parts that several lines share: pairs of curves, verdicts of intervals, and what was run.

How fast agents learn: means over seeds with t intervals, paired where agents share seeds.

Bootstraps of interquartile means, with which some lines began, cover too seldom for five or ten
seeds; they stay where a rule was set down with them before the runs.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats

from first_occupancy_paper.arm.runs.row_files import FIRST_ACTIONS, FORMAT
from first_occupancy_paper.arm.runs.run_config import FINETUNING, RunConfig

from .. import Verdict
from ..answers import Interval
from .run_curves import Curves, Setup, finetuning_curves

RESAMPLES = 200_000
"""Enough for intervals to be reproducible to a few percent whatever the random numbers; with ten
seeds and one outlier, 10,000 are not enough."""


class Lead(NamedTuple):
    """The difference of two means, with its interval.

    Attributes:
        mean: the difference.
        low: lower end of its interval.
        high: upper end of its interval.
        of: the two means.
    """

    mean: float
    low: float
    high: float
    of: tuple[float, float]


def interquartile_mean(samples: Float[np.ndarray, "*B R"]) -> Float[np.ndarray, "*B"]:
    """Return the mean of the middle half of the samples, as rliable does (Agarwal et al. 2021)."""
    return np.asarray(stats.trim_mean(samples, 0.25, axis=-1))


def resampled(
    samples: Float[np.ndarray, " R"], statistic: Callable[[np.ndarray], np.ndarray], *, seed: int
) -> np.ndarray:
    """Return a statistic of many bootstrap samples.

    Args:
        samples: what to draw from, with replacement.
        statistic: reduces samples along the last axis.
        seed: seed of the draws.
    """
    random = np.random.default_rng(seed)
    return statistic(samples[random.integers(len(samples), size=(RESAMPLES, len(samples)))])


def interval(numbers: np.ndarray) -> Interval:
    """Return the central 95% of resampled numbers."""
    low, high = np.quantile(numbers, [0.025, 0.975])
    return Interval(float(low), float(high))


def difference(ours: Mapping[int, float], theirs: Mapping[int, float], *, tests: int = 1) -> Lead:
    """Return the difference of two means over seeds, and the ends of its t interval.

    Environments with one seed begin alike whoever acts in them. So if both have the same seeds the
    differences are taken seed by seed (Student), otherwise over all runs (Welch).

    Args:
        ours: number of each run, by seed.
        theirs: the numbers to subtract, by seed.
        tests: how many tests share the error rate of 5% (Bonferroni).
    """
    x, y = (np.array([each[seed] for seed in sorted(each)]) for each in (ours, theirs))
    means = float(x.mean()), float(y.mean())
    mean = means[0] - means[1]
    if ours.keys() == theirs.keys():
        variances, freedom = [float(np.var(x - y, ddof=1)) / len(x)], len(x) - 1.0
    else:
        variances = [float(np.var(each, ddof=1)) / len(each) for each in (x, y)]
        shares = [v**2 / (len(each) - 1) for v, each in zip(variances, (x, y), strict=True)]
        freedom = sum(variances) ** 2 / max(sum(shares), np.finfo(float).tiny)
    half = float(stats.t.ppf(1 - 0.025 / tests, freedom) * np.sqrt(sum(variances)))
    return Lead(mean, mean - half, mean + half, means)


def by_seed(curves: Curves, numbers: np.ndarray) -> dict[int, float]:
    """Return a number of each run by its seed."""
    return dict(zip(curves.seeds, map(float, numbers), strict=True))


def mean_returns(curves: Curves) -> Float[np.ndarray, " R"]:
    """Return the area under each run's curve, divided by its steps."""
    length = curves.steps[-1] - curves.steps[0]
    return np.trapezoid(curves.returns, curves.steps, axis=1) / length


def first_steps_at(curves: Curves, level: float) -> Float[np.ndarray, " R"]:
    """Return the first step at which each run's return reaches a level, or infinity."""
    reached = curves.returns >= level
    first = curves.steps[reached.argmax(axis=1)].astype(float)
    return np.where(reached.any(axis=1), first, np.inf)


FEWEST = 3
"""Fewest seeds of each agent for a conclusion."""


def settled(holds: bool, fails: bool, yes: Verdict, no: Verdict) -> Verdict:
    """Return the verdict of an interval that lies on one side of a threshold, or on neither.

    Args:
        holds: whether it lies on the side of the claim.
        fails: whether it lies on the other side.
        yes: verdict on a claim that holds.
        no: verdict on one that does not.
    """
    return yes if holds else no if fails else Verdict.UNSETTLED


def together(setup: Setup, *agents: str) -> dict[str, Curves]:
    """Return the curves of agents that have some, up to the last step that all of them reached."""
    curves = {agent: finetuning_curves(setup, agent) for agent in agents}
    there = {agent: each for agent, each in curves.items() if each is not None}
    last = min((int(each.steps[-1]) for each in there.values()), default=0)
    return {agent: each.until(last) for agent, each in there.items()}


def pair_of(setup: Setup) -> tuple[Curves, Curves] | None:
    """Return curves of APF and APS over the same steps, if there are enough runs of both."""
    pair = together(setup, "apf", "aps")
    if len(pair) < 2 or min(len(each.seeds) for each in pair.values()) < FEWEST:
        return None
    return pair["apf"], pair["aps"]


def standard_error(samples: np.ndarray) -> float:
    """Return the standard error of a mean over seeds."""
    return float(samples.std(ddof=1) / np.sqrt(len(samples)))


def about(setup: Setup) -> dict[str, Any]:
    """Return what was run, for a line's sentences."""
    return {
        "words": words(setup),
        "config": setup.config,
        "agents": [_runs_of(setup, agent) for agent in setup.runs],
        "hardware": list(setup.hardware),
    }


def _runs_of(setup: Setup, agent: str) -> dict[str, Any]:
    """Return how many runs of an agent there are, and how far they got."""
    lasts = [rows[-1] for rows in setup.runs[agent].values()]
    runs = {"agent": agent, "seeds": len(lasts)}
    steps, every = setup.config["finetuning_steps"], setup.config["evaluate_every"]
    if not steps:
        return {**runs, "together": None}
    reached = [row["step"] if row["phase"] == FINETUNING else 0 for row in lasts]
    finished = sum(step >= steps // every * every for step in reached)
    least, most = min(reached), max(reached)
    far = {"finished": finished, "least": least, "most": most}
    return {**runs, **far, "together": least == most}


def way(setup: Setup) -> str:
    """Return in words what fine-tuning takes over."""
    published = setup.config["hand_over"] == "as_published"
    return "handed over as published" if published else "all parts handed over"


def words(setup: Setup) -> list[str]:
    """Return in words which setup a claim is about."""
    config = setup.config
    found = ["pre-training only"]
    if config["finetuning_steps"]:
        found = [way(setup)]
        if config["task"] != RunConfig.task:
            found.append(config["task"].replace("_", " "))
        if config["first_actions"] != FIRST_ACTIONS[FORMAT]:
            found.append(f"begun by {config['first_actions']}")
    if config["width"] != RunConfig.width:
        found.append(f"width {config['width']}")
    if config["bounded"]:
        found.append("values bounded")
    return found
