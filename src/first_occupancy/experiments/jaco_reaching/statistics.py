"""How fast agents learn: interquartile means over seeds, with bootstrap intervals."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from scipy import stats

from first_occupancy.experiments.jaco_reaching.run_curves import Curves

RESAMPLES = 200_000
"""Enough for intervals to be reproducible to a few percent whatever the random numbers; with ten
seeds and one outlier, 10,000 are not enough."""

Statistic = Callable[[np.ndarray], np.ndarray]
"""Reduces samples along the last axis."""


def interquartile_mean(samples: Float[np.ndarray, "*B R"]) -> Float[np.ndarray, "*B"]:
    """Return the mean of the middle half of the samples, as rliable does (Agarwal et al. 2021)."""
    return np.asarray(stats.trim_mean(samples, 0.25, axis=-1))


def resampled(samples: Float[np.ndarray, " R"], statistic: Statistic, *, seed: int) -> np.ndarray:
    """Return a statistic of many bootstrap samples.

    Args:
        samples: what to draw from, with replacement.
        statistic: reduces samples along the last axis.
        seed: seed of the draws.
    """
    random = np.random.default_rng(seed)
    return statistic(samples[random.integers(len(samples), size=(RESAMPLES, len(samples)))])


def interval(numbers: np.ndarray, *, tests: int = 1) -> tuple[float, float]:
    """Return the central 95% of resampled numbers, or more if there are several tests of one claim.

    Args:
        numbers: bootstrap replicates of a statistic.
        tests: how many tests share the error rate of 5% (Bonferroni).
    """
    tail = 0.025 / tests
    low, high = np.quantile(numbers, [tail, 1 - tail])
    return float(low), float(high)


def mean_returns(curves: Curves) -> Float[np.ndarray, " R"]:
    """Return the area under each run's curve, divided by its steps."""
    length = curves.steps[-1] - curves.steps[0]
    return np.trapezoid(curves.returns, curves.steps, axis=1) / length


def first_steps_at(curves: Curves, level: float) -> Float[np.ndarray, " R"]:
    """Return the first step at which each run's return reaches a level; infinity if it never does.

    Args:
        curves: returns of the runs.
        level: the return to reach.
    """
    reached = curves.returns >= level
    first = curves.steps[reached.argmax(axis=1)].astype(float)
    return np.where(reached.any(axis=1), first, np.inf)
