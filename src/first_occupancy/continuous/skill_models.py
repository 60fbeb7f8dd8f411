r"""Where skills lead near an observation: local linear regression on what they were seen to do.

The displacement $x' - x$ of a skill is fitted by a linear function of x to the recorded steps of
that skill nearest to x, with a small ridge, since observations such as (cos, sin) of an angle do
not vary in all directions. Predictions stay within the range of the neighbours' displacements,
widened by half, so that no fit extrapolates far where data are thin.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.spatial import KDTree

from first_occupancy.continuous._metrics import Numbers, Places, fitted_metric
from first_occupancy.continuous.local_models import Actions, LocalModel, fields_of, local_model
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError

FITTED = 16
"""Recorded steps that a regression is fitted to."""

RIDGE = 1e-3
"""Ridge of the regression, as a share of the mean variance of the neighbours."""

WIDENED = 0.5
"""By how much predictions may leave the range of the neighbours' displacements, in ranges."""


@dataclass(frozen=True, eq=False)
class SkillModel(LocalModel):
    """Recorded steps of skills, with one search tree per skill; made by `skill_model`.

    Its actions are rows of the identity matrix: which skill acted. No step counts as a jump.
    """

    @cached_property
    def _rows(self) -> list[Int[np.ndarray, " M"]]:
        which = self.actions.argmax(axis=1)
        return [np.flatnonzero(which == skill) for skill in range(self.actions.shape[1])]

    @cached_property
    def _trees(self) -> list[KDTree]:
        return [KDTree(self.places[rows]) for rows in self._rows]

    def moved(self, places: Places, actions: Actions) -> Places:
        """Return where one step of a skill leads."""
        after, which = np.array(places), actions.argmax(axis=1)
        for skill in np.unique(which):
            own = np.flatnonzero(which == skill)
            rows = self._rows[skill]
            count = min(FITTED, len(rows))
            found = self._trees[skill].query(places[own], k=count)[1].reshape(len(own), count)
            near = rows[found]
            offsets = self.places[near] - places[own, None]
            after[own] += _fitted(offsets, self.arrivals[near] - self.places[near])
        return after

    def sampled(
        self,
        places: Places,
        actions: Actions,
        believed: Bool[np.ndarray, "B E"],
        rng: np.random.Generator,
    ) -> Places:
        """Return where one step of a skill leads: all rollouts believe the whole log."""
        del believed, rng
        return self.moved(places, actions)

    def crossed(self, places: Places, after: Places) -> Places:
        """Return where skills lead, as far as anything was recorded there."""
        return np.where(self.visited(after)[:, None], after, places)

    def support(self, places: Places, actions: Actions) -> Numbers:
        """Return how many recorded steps of each skill are within `width`."""
        counts, which = np.zeros(len(places), int), actions.argmax(axis=1)
        for skill in np.unique(which):
            own = np.flatnonzero(which == skill)
            counts[own] = self._trees[skill].query_ball_point(
                places[own], self.width, return_length=True
            )
        return counts

    def jumps(self, places: Places) -> Bool[np.ndarray, " B"]:
        """Return False for every place: whatever a skill did is a step of it."""
        return np.zeros(len(places), bool)


def _fitted(
    offsets: Float[np.ndarray, "B k O"], moves: Float[np.ndarray, "B k O"]
) -> Float[np.ndarray, "B O"]:
    """Return the value at offset 0 of a linear function fitted to moves at offsets."""
    middle, mean = offsets.mean(axis=1, keepdims=True), moves.mean(axis=1, keepdims=True)
    x, y = offsets - middle, moves - mean
    across = x.swapaxes(1, 2)
    spread = across @ x
    ridge = RIDGE * np.trace(spread, axis1=1, axis2=2) / x.shape[2] + 1e-12
    slope = np.linalg.solve(spread + ridge[:, None, None] * np.eye(x.shape[2]), across @ y)
    found = (mean - middle @ slope)[:, 0]
    low, high = moves.min(axis=1), moves.max(axis=1)
    slack = WIDENED * (high - low)
    return np.clip(found, low - slack, high + slack)


def skill_model(log: Episodes, *, width: float = 1.0) -> SkillModel:
    """Return the local model of a log of skills.

    Args:
        log: log whose actions are rows of the identity matrix, as `skill_episodes` returns it.
    """
    used = log.actions[log.steps].sum(axis=0)
    if not (used > 0).all():
        raise InputError(
            f"skill_model: every skill must have acted, got no step of skill {used.argmin()}"
        )
    rows = log.steps
    metric = fitted_metric(log.observations[rows], log.observations[rows + 1], axes=True)
    plain = local_model(log, stride=2.0, metric=metric)
    own: dict[str, Any] = {"jumped": np.zeros(len(rows), bool), "action_width": 1.0, "width": width}
    return SkillModel(**fields_of(plain) | own)
