"""From rows to means, spreads and standard errors, and how they compare with printed ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import stats

from first_occupancy_paper.rows.row import Row

from ..answers import Answer, Interval, every, same_mean, same_spread, spread_ratio

PRINTED_TRIALS = 100
"""Number of trials behind each of the paper's means."""


@dataclass(frozen=True)
class Estimate:
    """The mean total reward of independent trials.

    Attributes:
        mean: the mean over trials.
        error: its standard error.
        trials: number of trials.
        top_share: share of all reward that the best twentieth of the trials received.
        totals: the total reward of each trial.
    """

    mean: float
    error: float
    trials: int
    top_share: float
    totals: np.ndarray

    @property
    def deviation(self) -> float:
        """The standard deviation over trials."""
        return self.error * self.trials**0.5

    @property
    def half_width(self) -> float:
        """Half of the 95% interval: t times the standard error."""
        return float(stats.t.ppf(0.975, self.trials - 1)) * self.error

    @property
    def low(self) -> float:
        """The lower end of the 95% interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the 95% interval."""
        return self.mean + self.half_width


def estimate(rows: Iterable[Row]) -> Estimate:
    """Return the estimate from the trials of all rows."""
    totals = np.concatenate([row["totals"] for row in rows])
    best = np.sort(totals)[-max(len(totals) // 20, 1) :]
    return Estimate(
        mean=float(totals.mean()),
        error=float(stats.sem(totals)),
        trials=len(totals),
        top_share=float(best.sum() / max(totals.sum(), 1.0)),
        totals=totals,
    )


def shown(rows: Sequence[Row]) -> dict[tuple[str, str], Estimate]:
    """Return an estimate for each (task, variant), over all seeds and additional trials."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["part"] in ("shown", "more"):
            groups.setdefault((row["task"], row["variant"]), []).append(row)
    return {key: estimate(group) for key, group in groups.items()}


def searched(rows: Sequence[Row]) -> list[dict[str, Estimate | str]]:
    """Return for each reading of the search its bonus and an estimate for each task."""
    readings: dict[str, dict[str, Estimate | str]] = {}
    for row in rows:
        if row["part"] == "search":
            reading = readings.setdefault(row["protocol"], {"bonus": row["bonus"]})
            reading[row["task"]] = estimate([row])
    return list(readings.values())


def task_estimate(reading: dict[str, Estimate | str], task: str) -> Estimate:
    """Return a searched reading's estimate for a task.

    Args:
        reading: one of the readings that `searched` returns.
        task: name of the task.
    """
    return cast(Estimate, reading[task])


def mean_agrees(ours: Estimate, paper: tuple[float, float]) -> Answer:
    """Return whether our mean is the printed one (`answers.same_mean`).

    Args:
        ours: our estimate.
        paper: the paper's mean and its standard error.
    """
    return same_mean(ours.mean, ours.error, paper)


def spread(ours: Estimate, paper: tuple[float, float]) -> Interval:
    """Return the interval of our standard deviation over the paper's.

    Args:
        ours: our estimate.
        paper: the paper's mean and its standard error, over 100 trials.
    """
    return spread_ratio(ours.totals, paper[1] * PRINTED_TRIALS**0.5, PRINTED_TRIALS)


def agrees(ours: Estimate, paper: tuple[float, float]) -> Answer:
    """Return whether both our mean and our spread are the printed ones.

    Args:
        ours: our estimate.
        paper: the paper's mean and its standard error.
    """
    return every([mean_agrees(ours, paper), same_spread(spread(ours, paper))])


def gain(more: Estimate, less: Estimate) -> Interval:
    """Return the interval of the difference of two means of independent trials."""
    half = 1.96 * float(np.hypot(more.error, less.error))
    return Interval(more.mean - less.mean - half, more.mean - less.mean + half)


def log_ratio(estimates: Sequence[Estimate], weights: Sequence[int]) -> Interval:
    """Return the interval of a product of means and their inverses, in logs (delta method).

    Args:
        estimates: means of independent trials.
        weights: exponent of each: 1 to multiply, -1 to divide.
    """
    means = [max(each.mean, 1.0) for each in estimates]  # short trials may get nothing at all
    middle = sum(w * np.log(mean) for mean, w in zip(means, weights, strict=True))
    errors = [each.error / mean for each, mean in zip(estimates, means, strict=True)]
    half = 1.96 * float(np.linalg.norm(errors))
    return Interval(float(middle) - half, float(middle) + half)
