r"""Distances between observations, in typical steps, whatever units and axes were recorded.

A *place* is an observation in coordinates in which recorded steps d are alike in all directions:

$$x = \phi(o)\, C^{-1/2}, \qquad C = \mathrm E[d^\top d],$$

scaled so that the median step has length 1. Units, shear, rotation and offset of an observation
change no distance between places. $\phi$ replaces a number that wraps around, such as an angle
that jumps from pi to -pi, by a cosine and a sine.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.errors import InputError

Observation, Observations = Float[np.ndarray, " O"], Float[np.ndarray, "B O"]
"""One observation, and several, one to a row."""

Places = Float[np.ndarray, "B P"]
"""Places, one to a row."""

Numbers = Int[np.ndarray, " B"]
"""A number for each row: of a landmark, an action or an agent."""

JUMP = 5.0
"""Steps longer than so many typical ones are jumps, unless lengths between are recorded, too."""

GAP = 2.0
"""Jumps are longer than all other steps by this factor."""

FLAT = 1e-4
"""Directions in which steps vary by less than this share of the largest variance count as much."""

MOVING = 0.3
"""Steps shorter than this share of the root mean square have hardly moved."""

OFFSET = 100.0
"""Observations that lie so many of their ranges away from 0 are moved there."""

USUAL = (2 * np.pi, 360.0)
"""Periods that a range within a hundredth stands for."""

ROUNDS = 10
"""Rounds in which jumps are left out of the variance of steps."""


@dataclass(frozen=True, eq=False)
class Metric:
    """A map from observations to places, and back.

    Attributes:
        periods: length after which each number of an observation repeats; 0 where it does not.
        middle: offset of observations.
        inward: matrix from numbers, cosines and sines to places.
        outward: its inverse.
    """

    periods: Float[np.ndarray, " O"]
    middle: Float[np.ndarray, " O"]
    inward: Float[np.ndarray, "P P"]
    outward: Float[np.ndarray, "P P"]

    @property
    def scale(self) -> Float[np.ndarray, " O"]:
        """How much each number of an observation changes, at most, in a step of length 1."""
        return np.linalg.norm(self.outward[:, : len(self.periods)], axis=0)

    def places(self, observations: Float[np.ndarray, "*B O"]) -> Float[np.ndarray, "*B P"]:
        """Return the places of observations."""
        return self._unrolled(np.asarray(observations, np.float64) - self.middle) @ self.inward

    def observations(self, places: Float[np.ndarray, "*B P"]) -> Float[np.ndarray, "*B O"]:
        """Return the observations at places."""
        numbers, size = places @ self.outward, len(self.periods)
        found = numbers[..., :size].copy()
        for extra, number in enumerate(np.flatnonzero(self.periods), size):
            angle = np.arctan2(numbers[..., extra], numbers[..., number])
            found[..., number] = angle * self.periods[number] / (2 * np.pi)
        return found + self.middle

    def _unrolled(self, numbers: Float[np.ndarray, "*B O"]) -> Float[np.ndarray, "*B P"]:
        columns = [numbers]
        for number in np.flatnonzero(self.periods):
            radius = self.periods[number] / (2 * np.pi)
            angles = numbers[..., number] / radius
            columns.append((radius * np.sin(angles))[..., None])
            columns[0] = columns[0].copy()
            columns[0][..., number] = radius * np.cos(angles)
        return np.concatenate(columns, axis=-1)


def fitted_metric(before: Observations, after: Observations, *, axes: bool = False) -> Metric:
    """Return the metric of recorded steps.

    Args:
        axes: whether to scale each number by itself, by its median step, and nothing more.
    """
    moves = np.abs(after - before)
    scale = np.median(moves, axis=0)
    scale = np.where(scale > 0, scale, moves.mean(axis=0))
    if not (scale > 0).any():
        raise InputError("landmark_world: observations of the log must move, got constant ones")
    scale = np.where(scale > 0, scale, 1.0)
    periods, middle = np.zeros(len(scale)), np.zeros(len(scale))
    matrix = np.diag(1 / scale)
    if not axes:
        periods, middle = _periods(before, moves), np.median(before, axis=0)
        # Offsets matter only where they cost digits.
        middle = np.where(np.abs(middle) > OFFSET * np.ptp(before, axis=0), middle, 0.0)
        plain = np.eye(len(scale) + int((periods > 0).sum()))
        unrolled = Metric(periods, middle, plain, plain)
        before, after = unrolled.places(before), unrolled.places(after)
        matrix = _whitening(after - before)
    lengths = np.linalg.norm((after - before) @ matrix, axis=1)
    if axes:
        # Where most steps stand still, the mean takes the place of the median, which is 0.
        typical = np.median(lengths) or lengths.mean()
    else:
        # Steps against a wall are not typical, however many there are.
        usual = lengths[~jumped(lengths)]
        typical = np.median(usual[usual >= MOVING * np.sqrt((usual**2).mean())])
    return Metric(periods, middle, matrix / typical, np.linalg.inv(matrix / typical))


def jumped(lengths: Float[np.ndarray, " L"]) -> Bool[np.ndarray, " L"]:
    """Return which steps are jumps: longer than `JUMP` typical ones, and than all others."""
    ordered = np.sort(lengths[lengths > 0])
    if not len(ordered):
        return np.zeros(len(lengths), bool)
    typical = np.median(lengths) or lengths.mean()
    ahead = np.maximum(ordered[:-1], JUMP / GAP * typical)
    gaps = np.flatnonzero(ordered[1:] > GAP * ahead)
    return lengths > (ordered[gaps[0]] if len(gaps) else ordered[-1])


def _periods(before: Observations, moves: Observations) -> Float[np.ndarray, " O"]:
    """Return the range of each number that now and then moves by nearly all of it, or 0."""
    spans = np.ptp(before, axis=0)
    periods = np.zeros(len(spans))
    for number, span in enumerate(spans):
        far = moves[:, number] > span / 2
        small = moves[~far, number].max(initial=0)
        if far.sum() < 3 or small >= span / 4:
            continue
        # A number that wraps around never moves by anything between, nor by more.
        if moves[far, number].min() >= span - 2 * small and moves[far, number].max() <= 1.01 * span:
            usual = [each for each in USUAL if abs(span / each - 1) < 0.01]
            periods[number] = usual[0] if usual else span
    return periods


def _whitening(moves: Float[np.ndarray, "L P"]) -> Float[np.ndarray, "P P"]:
    """Return the matrix after which moves, without jumps, vary alike in all directions."""
    # Jumps may not hide in the variance that they make: the shorter half begins.
    size = np.where((size := np.median(np.abs(moves), axis=0)) > 0, size, 1.0)
    lengths = np.linalg.norm(moves / size, axis=1)
    kept = (lengths > 0) & (lengths <= np.median(lengths[lengths > 0]))
    for _ in range(ROUNDS):
        size = np.sqrt((moves[kept] ** 2).mean(axis=0))
        size = np.where(size > 0, size, 1.0)
        scaled = moves[kept] / size
        values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
        values = np.maximum(values, FLAT * values.max())
        matrix = (vectors / np.sqrt(values)) @ vectors.T / size[:, None]
        lengths = np.linalg.norm(moves @ matrix, axis=1)
        now = (lengths > 0) & ~jumped(lengths)
        if (now == kept).all():
            break
        kept = now
    return matrix
