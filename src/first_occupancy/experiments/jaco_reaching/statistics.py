"""How fast agents learn, over seeds: interquartile means, and intervals by bootstrap."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from scipy import stats

from first_occupancy.experiments.jaco_reaching.run_curves import Curves

RESAMPLES = 200_000
"""Enough for intervals to come out the same, to a few percent, by whichever random numbers: with
ten seeds, one of them far from the others, 10,000 are not."""

Statistic = Callable[[np.ndarray], np.ndarray]
"""From samples, along the last axis, to a number."""


def interquartile_mean(samples: Float[np.ndarray, "*B R"]) -> Float[np.ndarray, "*B"]:
    """Return the mean of the middle half of the samples, as rliable does (Agarwal et al. 2021)."""
    return np.asarray(stats.trim_mean(samples, 0.25, axis=-1))


def resampled(samples: Float[np.ndarray, " R"], statistic: Statistic, *, seed: int) -> np.ndarray:
    """Return the statistic of many samples of the same size, drawn from these with replacement."""
    random = np.random.default_rng(seed)
    return statistic(samples[random.integers(len(samples), size=(RESAMPLES, len(samples)))])


def interval(numbers: np.ndarray, *, tests: int = 1) -> tuple[float, float]:
    """Return the middle 95% of resampled numbers; more if it is one of several tests of a claim.

    With several tests there are several chances to be wrong, so each gets its share of the 5%
    (Bonferroni).
    """
    tail = 0.025 / tests
    low, high = np.quantile(numbers, [tail, 1 - tail])
    return float(low), float(high)


def mean_returns(curves: Curves) -> Float[np.ndarray, " R"]:
    """Return the area under each run's curve, divided by its steps."""
    length = curves.steps[-1] - curves.steps[0]
    return np.trapezoid(curves.returns, curves.steps, axis=1) / length


def first_steps_at(curves: Curves, level: float) -> Float[np.ndarray, " R"]:
    """Return when each run first returned at least `level`; infinity if never."""
    reached = curves.returns >= level
    first = curves.steps[reached.argmax(axis=1)].astype(float)
    return np.where(reached.any(axis=1), first, np.inf)
