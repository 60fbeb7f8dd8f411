"""From rows to means, spreads and standard errors, and how they compare with printed ones."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from first_occupancy_paper.rows.row import Row, grouped, where

from ..answers import Answer, Interval, every, mean_of, same_mean, same_spread, spread_ratio

PRINTED_TRIALS = 100
"""Number of trials behind each of the paper's means."""


class Estimate(NamedTuple):
    """The mean total reward of independent trials.

    Attributes:
        mean: the mean over trials.
        error: its standard error.
        low: the lower end of its 95% interval.
        high: the upper end of its 95% interval.
        trials: number of trials.
        top_share: share of all reward that the best twentieth of the trials received.
        totals: the total reward of each trial.
        protocol: the settings of the trials, in words.
    """

    mean: float
    error: float
    low: float
    high: float
    trials: int
    top_share: float
    totals: np.ndarray
    protocol: str


def estimate(rows: Sequence[Row]) -> Estimate:
    """Return the estimate from the trials of all rows."""
    totals = np.concatenate([row["totals"] for row in rows])
    mean, half = mean_of(totals)
    best = np.sort(totals)[-max(len(totals) // 20, 1) :]
    return Estimate(
        mean=mean,
        error=float(stats.sem(totals)),
        low=mean - half,
        high=mean + half,
        trials=len(totals),
        top_share=float(best.sum() / max(totals.sum(), 1.0)),
        totals=totals,
        protocol=rows[0]["protocol"],
    )


def estimates(rows: Sequence[Row], *names: str) -> dict[Any, Estimate]:
    """Return estimates by what the rows have under these names."""
    return {key: estimate(group) for key, group in grouped(rows, *names).items()}


def shown(rows: Sequence[Row]) -> dict[tuple[str, str], Estimate]:
    """Return an estimate for each (task, variant), over all seeds and additional trials."""
    return estimates([*where(rows, part="shown"), *where(rows, part="more")], "task", "variant")


def searched(rows: Sequence[Row]) -> list[dict[str, Estimate]]:
    """Return for each reading of the search an estimate for each task."""
    readings = grouped(where(rows, part="search"), "protocol")
    return [estimates(group, "task") for group in readings.values()]


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


def log_ratio(factors: Sequence[Estimate], exponents: Sequence[int]) -> Interval:
    """Return the interval of a product of means and their inverses, in logs (delta method).

    Args:
        factors: means of independent trials.
        exponents: 1 for each mean to multiply by, -1 for each to divide by.
    """
    means = np.maximum([each.mean for each in factors], 1.0)  # short trials may get nothing at all
    middle = float(np.dot(exponents, np.log(means)))
    half = 1.96 * float(np.linalg.norm([each.error for each in factors] / means))
    return Interval(middle - half, middle + half)
