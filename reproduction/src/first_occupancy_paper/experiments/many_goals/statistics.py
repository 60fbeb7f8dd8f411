"""Means over the episodes of several seeds, with intervals."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

from first_occupancy_paper.rows.row import Row

WITHIN_95 = NormalDist().inv_cdf(0.975)


def pooled(rows: Sequence[Row]) -> tuple[float, float, int]:
    """Return the mean discount over all episodes, half its 95% interval, and their number.

    There are thousands of independent episodes, so the interval is that of a normal distribution.
    """
    episodes = sum(row["episodes"] for row in rows)
    mean = sum(row["mean"] * row["episodes"] for row in rows) / episodes
    variance = sum(row["variance"] * row["episodes"] for row in rows) / episodes
    return mean, WITHIN_95 * sqrt(variance / episodes), episodes
