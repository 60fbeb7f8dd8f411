"""Durations as whole multiples of one unit, exactly or nearly."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

EXACTLY = 1e-12
"""Relative distance from a multiple of the unit that counts as rounding."""

NEARLY = 1e-3
"""Relative distance that is sought where durations have no unit in common."""

LAST_DIGITS = 1e-9
"""Part of a unit that is rounding, where durations are rounded up."""

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


def lattice(times: Float[np.ndarray, " E"] | None, count: int = 0, *, up: bool = False) -> Lattice:
    """Return durations in the largest unit that fits them; those of `count` steps for None.

    Args:
        up: whether those without a unit in common are rounded up.
    """
    if times is None or not len(times):
        return Lattice(1.0, np.ones(count, np.int64), 0.0)
    different = np.unique(times)
    shortest, longest = float(different[0]), float(different[-1])
    parts = np.arange(1, min(FINEST, int(LONGEST * shortest / longest)) + 1)
    # Durations that are too short by far become one unit, too long.
    units = np.append(shortest / parts, [] if len(parts) else longest / LONGEST)
    exact = (different / unit for unit in units)
    errors = np.array([np.abs(np.maximum(np.rint(x), 1) / x - 1).max() for x in exact])
    enough = next((each for each in (EXACTLY, NEARLY) if errors.min() <= each), errors.min())
    place = int((errors <= enough).argmax())
    delays = np.maximum(np.rint(times / units[place]), 1)
    if up and enough != EXACTLY:
        delays = np.ceil(times / units[place] * (1 - LAST_DIGITS))
    error = 0.0 if enough == EXACTLY else float(np.abs(delays * units[place] / times - 1).max())
    return Lattice(float(units[place]), delays.astype(np.int64), error)
