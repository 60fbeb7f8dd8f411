"""Durations as whole multiples of one unit, exactly or nearly."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

EXACTLY = 1e-12
"""Relative distance from a multiple of the unit that counts as rounding."""

NEARLY = 1e-3
"""Relative distance that is sought where durations have no unit in common."""

FINEST = 1000
"""Parts of the shortest duration up to which a common unit is sought."""

LONGEST = 4096
"""Units in the longest duration, if it can be helped: so many distributions are kept at a time."""


class Lattice(NamedTuple):
    """Durations in units.

    Attributes:
        unit: length of a unit.
        delays: durations in units, at least 1.
        rounding: largest relative error of a duration; 0 if all are multiples of the unit. Times
            of arrival, sums of durations, have no larger one.
    """

    unit: float
    delays: Int[np.ndarray, " E"]
    rounding: float


def lattice(times: Float[np.ndarray, " E"] | None, count: int = 0) -> Lattice:
    """Return durations in the largest unit that fits them; those of `count` steps for None."""
    if times is None or not len(times):
        return Lattice(1.0, np.ones(count, np.int64), 0.0)
    different = np.unique(times)
    shortest, longest = float(different[0]), float(different[-1])
    parts = np.arange(1, min(FINEST, int(LONGEST * shortest / longest)) + 1)
    # Durations that are too short by far become one unit, too long.
    units = np.append(shortest / parts, [] if len(parts) else longest / LONGEST)
    errors = np.array([_error(different, unit) for unit in units])
    for enough in (EXACTLY, NEARLY):
        fine = np.flatnonzero(errors <= enough)
        if len(fine):
            return _rounded(times, units[fine[0]], errors[fine[0]] if enough == NEARLY else 0.0)
    best = int(errors.argmin())
    return _rounded(times, units[best], errors[best])


def _rounded(times: Float[np.ndarray, " E"], unit: float, error: float) -> Lattice:
    return Lattice(float(unit), np.maximum(np.rint(times / unit), 1).astype(np.int64), float(error))


def _error(times: Float[np.ndarray, " D"], unit: float) -> float:
    return float(np.abs(np.maximum(np.rint(times / unit), 1) * unit / times - 1).max())
