"""The ledger's 95% intervals: of a mean over independent samples, and of a rate."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats


def half_width(samples: Sequence[float] | np.ndarray, *, tests: int = 1) -> float:
    """Return half of the mean's interval: t times its standard error; 0 for one sample.

    Args:
        samples: independent samples.
        tests: how many intervals share the error rate of 5% (Bonferroni).
    """
    if len(samples) < 2:
        return 0.0
    return float(stats.t.ppf(1 - 0.025 / tests, len(samples) - 1) * stats.sem(samples))


class Mean(NamedTuple):
    """A mean over independent samples, with its interval.

    Attributes:
        mean: the mean.
        half: half of its 95% interval.
    """

    mean: float
    half: float


def mean_of(samples: Sequence[float] | np.ndarray) -> Mean:
    """Return the mean of independent samples with its interval."""
    return Mean(float(np.mean(samples)), half_width(samples))


def wilson(count: int, total: int, *, tests: int = 1) -> tuple[float, float]:
    """Return Wilson's interval for the probability of success.

    Args:
        count: number of successes.
        total: number of trials; 0 gives the interval [0, 1].
        tests: how many intervals share the error rate of 5% (Bonferroni).
    """
    if total == 0:
        return 0.0, 1.0
    level = 1 - 0.05 / tests
    interval = stats.binomtest(count, total).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)
