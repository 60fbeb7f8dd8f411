"""From rows to means with standard errors, and whether two of them agree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import stats

from first_occupancy.experiments import Row

WITHIN = 2.0
"""Two means agree if they differ by no more than this many standard errors of the difference."""


@dataclass(frozen=True)
class Estimate:
    """The mean total reward of independent trials.

    Attributes:
        mean: the mean over trials.
        error: its standard error.
        trials: number of trials.
        top_share: share of all reward that the best twentieth of the trials received.
    """

    mean: float
    error: float
    trials: int
    top_share: float

    @property
    def half_width(self) -> float:
        """Half of the 95% interval: t times the standard error."""
        return float(stats.t.ppf(0.975, self.trials - 1)) * self.error

    @property
    def text(self) -> str:
        """The estimate as the ledger shows it."""
        low, high = self.mean - self.half_width, self.mean + self.half_width
        return (
            f"{self.mean:,.0f} ± {self.error:,.0f} (1 SE, {self.trials} trials); "
            f"95%: {low:,.0f} to {high:,.0f}"
        )


def estimate(rows: Iterable[Row]) -> Estimate:
    """Return the estimate from the trials of all rows."""
    totals = np.concatenate([row["totals"] for row in rows])
    best = np.sort(totals)[-max(len(totals) // 20, 1) :]
    return Estimate(
        mean=float(totals.mean()),
        error=float(stats.sem(totals)),
        trials=len(totals),
        top_share=float(best.sum() / max(totals.sum(), 1.0)),
    )


def shown(rows: Sequence[Row]) -> dict[tuple[str, str], Estimate]:
    """Return an estimate for each (task, variant), over all seeds."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["part"] == "shown":
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


def distance(ours: Estimate, paper: tuple[float, float]) -> float:
    """Return how many standard errors of the difference lie between our mean and the paper's.

    Args:
        ours: our estimate.
        paper: the paper's mean and its standard error.
    """
    return abs(ours.mean - paper[0]) / float(np.hypot(ours.error, paper[1]))


def agrees(ours: Estimate, paper: tuple[float, float]) -> bool:
    """Return whether our mean is within two standard errors of the paper's.

    Args:
        ours: our estimate.
        paper: the paper's mean and its standard error.
    """
    return distance(ours, paper) <= WITHIN
