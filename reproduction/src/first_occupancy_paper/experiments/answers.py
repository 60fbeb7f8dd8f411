"""Rules by which numbers become verdicts.

An answer to a question is yes (True), no (False), or open (None), where an interval holds both
answers. `Verdict.reproduced_if` and `Verdict.holds_if` turn answers into verdicts, and open ones
into "not settled by our runs". Where one of these kinds of claims fits, its margin is taken:

| kind of claim | yes if the whole 95% interval | no if the whole interval |
| --- | --- | --- |
| a mean that the paper prints | of the difference lies within 10% of it | lies outside |
| a spread that the paper prints | lies within a factor of 2 of it | lies outside |
| one return matches another | lies within 5% of the other | lies outside |
| far below, significantly above | lies below half, above twice the other | does not |
| more, faster, sooner | lies above 0 | lies below 0 |
| most runs do it | lies above one half | lies below one half |
| a part of a rule is needed | of what is lost lies above 0, on all tasks tried | below 5%, on one |

A claim about several cases holds if each of them does, and fails if one of them does. If several
intervals are asked one question, as at many lengths or levels, they share the error rate. Claims
of no such kind ("nearly optimal", "a jump", "only") have a margin of their own, which their line
states. The rules were set for the second edition of the ledger, when the numbers of the first were
known.

The ledger's 95% intervals: of a mean over independent samples, and of a rate.
"""

from collections.abc import Iterable, Sequence
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


class Interval(NamedTuple):
    """An interval, 95% unless several share the error rate, from its lower to its upper end.

    Attributes:
        low: lower end.
        high: upper end.
    """

    low: float
    high: float


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


Answer = bool | None
"""Yes, no, or None where an interval holds both."""

PRINTED_MEAN = 0.10
"""A mean equals a printed one if it is within this share of it."""

PRINTED_SPREAD = 2.0
"""A spread equals a printed one if it is within this factor of it."""

MATCHING_RETURN = 0.05
"""A return matches another if it is within this share of it."""

MATTERS = 0.05
"""A part of a rule is needed if something is lost without it; a loss below this does not matter."""

FAR_BELOW, FAR_ABOVE = 0.5, 2.0
"""A number is far below another if it is less than half of it, far above if more than twice."""


def wilson(count: int, total: int, *, tests: int = 1) -> Interval:
    """Return Wilson's interval for the probability of success.

    Args:
        count: number of successes.
        total: number of trials; 0 gives the interval [0, 1].
        tests: how many intervals share the error rate of 5% (Bonferroni).
    """
    if total == 0:
        return Interval(0.0, 1.0)
    level = 1 - 0.05 / tests
    interval = stats.binomtest(count, total).proportion_ci(level, method="wilson")
    return Interval(float(interval.low), float(interval.high))


def interval_of(samples: np.ndarray, *, tests: int = 1) -> Interval:
    """Return the t interval of a mean over independent samples.

    Args:
        samples: independent samples.
        tests: how many intervals are asked one question, and share its error rate of 5%.
    """
    mean, half = float(np.mean(samples)), half_width(samples, tests=tests)
    return Interval(mean - half, mean + half)


def above(interval: Interval, threshold: float = 0.0) -> Answer:
    """Return whether a number is above a threshold."""
    if interval.low > threshold:
        return True
    return False if interval.high <= threshold else None


def below(interval: Interval, threshold: float = 0.0) -> Answer:
    """Return whether a number is below a threshold."""
    return above(Interval(-interval.high, -interval.low), -threshold)


def within(interval: Interval, low: float, high: float) -> Answer:
    """Return whether a number lies in a range: an equivalence test, not one of equality.

    Args:
        interval: interval of the number.
        low: lower end of the range, which belongs to it.
        high: upper end of the range, which belongs to it.
    """
    if low <= interval.low and interval.high <= high:
        return True
    return False if interval.high < low or high < interval.low else None


def every(answers: Iterable[Answer]) -> Answer:
    """Return whether all are yes: no if one is no, open if one is open and none is no."""
    answers = list(answers)
    if any(answer is False for answer in answers):
        return False
    return None if None in answers else True


def some(answers: Iterable[Answer]) -> Answer:
    """Return whether one is yes: open if none is, but one is open."""
    answers = list(answers)
    if any(answer is True for answer in answers):
        return True
    return None if None in answers else False


def needed(lost: Interval) -> Answer:
    """Return whether something is lost without a part; no if it is clearly less than matters.

    Args:
        lost: interval of what is lost, as a share of the optimum.
    """
    if lost.low > 0:
        return True
    return False if lost.high < MATTERS else None


def same_mean(mean: float, error: float, printed: tuple[float, float]) -> Answer:
    """Return whether a mean is a printed one, within `PRINTED_MEAN` of it.

    Args:
        mean: our mean.
        error: its standard error.
        printed: the printed mean and its standard error.
    """
    half = 1.96 * float(np.hypot(error, printed[1]))
    margin = PRINTED_MEAN * abs(printed[0])
    return within(Interval(mean - printed[0] - half, mean - printed[0] + half), -margin, margin)


def same_spread(ratio: Interval) -> Answer:
    """Return whether a spread is a printed one, within a factor of `PRINTED_SPREAD`.

    Args:
        ratio: interval of our standard deviation, divided by the printed one.
    """
    return within(ratio, 1 / PRINTED_SPREAD, PRINTED_SPREAD)


def spread_ratio(samples: np.ndarray, printed: float, num_printed: int) -> Interval:
    """Return the interval of our standard deviation over the printed one.

    On the log scale a standard deviation of n samples has the variance (kurtosis - 1) / 4n, which
    heavy tails make large. The kurtosis is that of our samples for both.
    """
    if np.ptp(samples) == 0:
        return Interval(0.0, 0.0)
    kurtosis = float(stats.kurtosis(samples, fisher=False))
    error = np.sqrt(max(kurtosis - 1, 0.0) / 4 * (1 / len(samples) + 1 / num_printed))
    ratio = float(np.std(samples, ddof=1)) / printed
    return Interval(ratio * float(np.exp(-1.96 * error)), ratio * float(np.exp(1.96 * error)))
