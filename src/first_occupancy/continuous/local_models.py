r"""What happens near an observation: displacements of the nearest recorded steps.

Observations that are close together are moved *by* about the same, not *to* the same place. So the
model predicts

$$x + B a + \frac1k \sum_i (x'_i - x_i - B a_i)$$

over the k recorded steps nearest to (x, a), in units in which a typical step has length 1. B is the
linear effect of actions on displacements in the whole log, by least squares; the neighbours correct
it by what it does not explain near (x, a), such as walls.

*Jumps*, steps much longer than others, are kept apart: they lead to the recorded places, by chance,
and whether an observation jumps is decided by the observations nearest to it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.spatial import KDTree

from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError

NEIGHBOURS = 8
"""Recorded steps that a prediction averages over."""

VOTERS = 5
"""Recorded observations that decide whether a new one jumps."""

REACH = 1.0
"""Recorded steps within this distance, in widths, support a move."""

JUMP = 5.0
"""Steps longer than so many typical ones are jumps."""


@dataclass(frozen=True, eq=False)
class LocalModel:
    """Recorded steps, scaled so that a typical step has length 1, with search trees.

    Attributes:
        places: scaled observations before each step.
        actions: actions of the steps.
        arrivals: scaled observations after each step.
        jumped: whether a step is a jump.
        scale: size of the unit in each number of an observation.
        action_width: distance of actions that counts as much as `width`.
        width: distance of observations that counts as much as `action_width`.
        effect: linear effect of actions on displacements.
        displaced: whether predictions add displacements; if not, they return recorded places.
    """

    places: Float[np.ndarray, "L O"]
    actions: Float[np.ndarray, "L A"]
    arrivals: Float[np.ndarray, "L O"]
    jumped: Bool[np.ndarray, " L"]
    scale: Float[np.ndarray, " O"]
    action_width: float
    width: float
    effect: Float[np.ndarray, "A O"]
    displaced: bool = True

    @cached_property
    def _unexplained(self) -> Float[np.ndarray, "M O"]:
        """The part of each displacement that the effect of the action does not explain."""
        rows = self._smooth
        return self.arrivals[rows] - self.places[rows] - self.actions[rows] @ self.effect

    @cached_property
    def _smooth(self) -> Int[np.ndarray, " M"]:
        return np.flatnonzero(~self.jumped)

    @cached_property
    def _steps(self) -> KDTree:
        return KDTree(self._joined(self.places[self._smooth], self.actions[self._smooth]))

    @cached_property
    def _all(self) -> KDTree:
        return KDTree(self.places)

    @cached_property
    def _jumps(self) -> KDTree | None:
        return KDTree(self.places[self.jumped]) if self.jumped.any() else None

    def _joined(self, places: np.ndarray, actions: np.ndarray) -> Float[np.ndarray, "B D"]:
        return np.hstack([places / self.width, actions / self.action_width])

    def moved(
        self, places: Float[np.ndarray, "B O"], actions: Float[np.ndarray, "B A"]
    ) -> Float[np.ndarray, "B O"]:
        """Return where one step of an action leads, away from jumps."""
        count = min(NEIGHBOURS, len(self._smooth))
        _, found = self._steps.query(self._joined(places, actions), k=count)
        rows = self._smooth[found.reshape(len(places), count)]
        if self.displaced:
            rest = self._unexplained[found.reshape(len(places), count)].mean(axis=1)
            return places + actions @ self.effect + rest
        return self.arrivals[rows].mean(axis=1)

    def support(
        self, places: Float[np.ndarray, "B O"], actions: Float[np.ndarray, "B A"]
    ) -> Int[np.ndarray, " B"]:
        """Return how many recorded steps are near, in place and action."""
        where = self._joined(places, actions)
        return np.asarray(self._steps.query_ball_point(where, REACH, return_length=True))

    def visited(self, places: Float[np.ndarray, "B O"]) -> Bool[np.ndarray, " B"]:
        """Return whether any recorded observation is within `REACH` widths of each place."""
        far, _ = self._all.query(places, distance_upper_bound=REACH * self.width)
        return np.isfinite(far)

    def jumps(self, places: Float[np.ndarray, "B O"]) -> Bool[np.ndarray, " B"]:
        """Return whether most recorded observations nearest to each place jumped."""
        if self._jumps is None:
            return np.zeros(len(places), bool)
        near, _ = self._jumps.query(places, distance_upper_bound=1.0)
        inside = np.isfinite(near)
        if inside.any():
            count = min(VOTERS, len(self.places))
            _, voters = self._all.query(places[inside], k=count)
            votes = self.jumped[voters.reshape(-1, count)].mean(axis=1)
            inside[inside] = votes > 0.5
        return inside


def local_model(log: Episodes, *, stride: float, displaced: bool = True) -> LocalModel:
    """Return the local model of a log.

    Args:
        stride: distance within which steps are alike, in typical steps: half of it in place
            counts as much as a typical action.
        displaced: whether predictions add displacements (an ablation if not).

    Raises:
        InputError: if nothing in the log moves.
    """
    rows = log.steps
    before = np.asarray(log.observations[rows], np.float64)
    after = np.asarray(log.observations[rows + 1], np.float64)
    actions = np.asarray(log.actions[rows], np.float64)
    scale = np.median(np.abs(after - before), axis=0)
    scale = np.where(scale > 0, scale, np.abs(after - before).mean(axis=0))
    if not (scale > 0).any():
        raise InputError("local_model: something in the log must move, got constant observations")
    scale = np.where(scale > 0, scale, 1.0)
    lengths = np.linalg.norm((after - before) / scale, axis=1)
    # Where most steps stand still, the mean takes the place of the median, which is 0.
    scale = scale * (np.median(lengths) or lengths.mean())
    lengths = np.linalg.norm((after - before) / scale, axis=1)
    spread = float(np.sqrt((actions.var(axis=0)).sum()))
    jumped = lengths > JUMP
    return LocalModel(
        before / scale,
        actions,
        after / scale,
        jumped,
        scale,
        action_width=spread if spread > 0 else 1.0,
        width=stride / 2,
        effect=_effect(actions[~jumped], ((after - before) / scale)[~jumped]),
        displaced=displaced,
    )


def _effect(
    actions: Float[np.ndarray, "L A"], moves: Float[np.ndarray, "L O"]
) -> Float[np.ndarray, "A O"]:
    """Return the least-squares effect of actions on displacements; an intercept is left out."""
    centred = actions - actions.mean(axis=0)
    return np.linalg.lstsq(centred, moves - moves.mean(axis=0), rcond=None)[0]
