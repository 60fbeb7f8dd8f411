r"""What happens near an observation: displacements of the nearest recorded steps.

Observations that are close together are moved *by* about the same, not *to* the same place. So the
model predicts

$$x + f(x, a) + \frac1k \sum_i (x'_i - x_i - f(x_i, a_i))$$

over the k recorded steps nearest to (x, a), in units in which a typical step has length 1
(`_metrics`). f is the quadratic function of places and actions that fits the displacements of the
whole log best, by least squares: momentum, for one, or speed in the direction of a heading. The
neighbours correct it by what it does not explain near (x, a), such as walls.

*Jumps*, steps much longer than others, are kept apart: they lead to the recorded places, by chance,
and whether an observation jumps is decided by the observations nearest to it.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.spatial import KDTree

from first_occupancy.continuous._metrics import Metric, Numbers, Places, fitted_metric, jumped
from first_occupancy.core.episodes import Episodes

Actions = Float[np.ndarray, "B A"]
"""Actions, one to a row."""

NEIGHBOURS = 8
"""Recorded steps that a prediction averages over."""

FITTED = 50_000
"""Recorded steps that the trend is fitted to."""

VOTERS = 5
"""Recorded observations that decide whether a new one jumps."""

CROSSED = 0.45
"""Steps are alike if they begin and end within so many typical steps of each other."""

TRIED = 128
"""Recorded steps among which one that is alike is looked for."""

REACH = 1.0
"""Recorded steps within this distance, in widths, support a move."""


@dataclass(frozen=True, eq=False)
class LocalModel:
    """Recorded steps, scaled so that a typical step has length 1, with search trees.

    Attributes:
        places: scaled observations before each step.
        actions: actions of the steps.
        arrivals: scaled observations after each step.
        jumped: whether a step is a jump.
        episodes: number of the episode of each step.
        metric: how observations become places.
        action_width: distance of actions that counts as much as `width`.
        width: distance of observations that counts as much as `action_width`.
        trend: displacements as a function of places and actions, everywhere.
        displaced: whether predictions add displacements; if not, they return recorded places.
    """

    places: Float[np.ndarray, "L O"]
    actions: Float[np.ndarray, "L A"]
    arrivals: Float[np.ndarray, "L O"]
    jumped: Bool[np.ndarray, " L"]
    episodes: Int[np.ndarray, " L"]
    metric: Metric
    action_width: float
    width: float
    trend: "Trend"
    displaced: bool = True

    @property
    def scale(self) -> Float[np.ndarray, " O"]:
        """Typical step in each number of an observation."""
        return self.metric.scale

    @cached_property
    def _unexplained(self) -> Float[np.ndarray, "M O"]:
        """The part of each displacement that the trend does not explain."""
        rows = self._smooth
        return self.arrivals[rows] - self.trend.moved(self.places[rows], self.actions[rows])

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

    def moved(self, places: Places, actions: Actions) -> Places:
        """Return where one step of an action leads, away from jumps."""
        count = min(NEIGHBOURS, len(self._smooth))
        _, found = self._steps.query(self._joined(places, actions), k=count)
        rows = self._smooth[found.reshape(len(places), count)]
        if self.displaced:
            rest = self._unexplained[found.reshape(len(places), count)].mean(axis=1)
            return self.trend.moved(places, actions) + rest
        return self.arrivals[rows].mean(axis=1)

    def sampled(
        self,
        places: Places,
        actions: Actions,
        believed: Bool[np.ndarray, "B E"],
        rng: np.random.Generator,
    ) -> Places:
        """Return where an action leads, as it did in the nearest step of a believed episode."""
        count = min(2 * NEIGHBOURS, len(self._smooth))
        _, found = self._steps.query(self._joined(places, actions), k=count)
        found = found.reshape(len(places), count)
        likely = np.take_along_axis(believed, self.episodes[self._smooth[found]], axis=1)
        chosen = np.take_along_axis(found, likely.argmax(axis=1)[:, None], axis=1)[:, 0]
        after = self.trend.moved(places, actions) + self._unexplained[chosen]
        inside = np.flatnonzero(self.jumps(places))
        if len(inside) and self._jumps is not None:
            _, near = self._jumps.query(places[inside], k=min(VOTERS, self._jumps.n))
            near = near.reshape(len(inside), -1)
            which = near[np.arange(len(inside)), rng.integers(near.shape[1], size=len(inside))]
            after[inside] = self.arrivals[self.jumped][which]
        return after

    def support(self, places: Places, actions: Actions) -> Numbers:
        """Return how many recorded steps are near, in place and action."""
        where = self._joined(places, actions)
        return np.asarray(self._steps.query_ball_point(where, REACH, return_length=True))

    def distance(self, places: Places) -> Float[np.ndarray, " B"]:
        """Return how far the nearest recorded observation before a step is from each place."""
        return self._all.query(places)[0]

    def visited(self, places: Places, reach: float = REACH) -> Bool[np.ndarray, " B"]:
        """Return whether any recorded observation is within so many widths of each place."""
        far, _ = self._all.query(places, distance_upper_bound=reach * self.width)
        return np.isfinite(far)

    def crossed(self, places: Places, after: Places) -> Places:
        """Return where steps lead if only recorded ones count.

        A step counts if a recorded one, or the way back of one, begins and ends within `CROSSED` of
        it. If none does, the movement is that of a recorded step which begins as near, the most
        similar one, or none.
        """
        moves, rows = after - places, np.arange(len(places))
        found, apart = self._begun(places)
        back, far_back = self._begun(after)
        there = _far(self.arrivals[found], after) <= CROSSED
        again = _far(self.arrivals[back], places) <= CROSSED
        whole = np.any(np.hstack([there & ~apart, again & ~far_back]), axis=1, keepdims=True)
        recorded = self.arrivals[found] - self.places[found]
        unlike = np.where(apart, np.inf, _far(recorded, moves))
        best = unlike.argmin(axis=1)
        like = np.where(np.isfinite(unlike[rows, best])[:, None], recorded[rows, best], 0.0)
        return places + np.where(whole, moves, like)

    def _begun(self, places: Places) -> tuple[Int[np.ndarray, "B K"], Bool[np.ndarray, "B K"]]:
        """Return recorded steps that begin nearest to each place, and which begin too far away."""
        count = min(TRIED, self._all.n)
        far, found = self._all.query(places, k=count, distance_upper_bound=CROSSED)
        found = np.minimum(found.reshape(len(places), count), self._all.n - 1)
        return found, np.isinf(far.reshape(found.shape)) | self.jumped[found]

    def jumps(self, places: Places) -> Bool[np.ndarray, " B"]:
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


def local_model(
    log: Episodes, *, stride: float, displaced: bool = True, metric: Metric | None = None
) -> LocalModel:
    """Return the local model of a log.

    Args:
        stride: distance within which steps are alike, in typical steps: half of it in place
            counts as much as a typical action.
        displaced: whether predictions add displacements (an ablation if not).
        metric: how observations become places; None to learn it from the log.
    """
    rows = log.steps
    before = np.asarray(log.observations[rows], np.float64)
    after = np.asarray(log.observations[rows + 1], np.float64)
    actions = np.asarray(log.actions[rows], np.float64)
    metric = fitted_metric(before, after) if metric is None else metric
    before, after = metric.places(before), metric.places(after)
    far = jumped(np.linalg.norm(after - before, axis=1))
    spread = float(np.sqrt((actions.var(axis=0)).sum()))
    return LocalModel(
        before,
        actions,
        after,
        far,
        np.concatenate([[0], np.cumsum(log.last)])[rows],
        metric,
        action_width=spread if spread > 0 else 1.0,
        width=stride / 2,
        trend=fitted_trend(before[~far], actions[~far], (after - before)[~far]),
        displaced=displaced,
    )


def fields_of(record: Any) -> dict[str, Any]:
    """Return the fields of a record, by name, to make one of a subclass, which has more."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _far(places: Float[np.ndarray, "B K P"], others: Places) -> Float[np.ndarray, "B K"]:
    return np.linalg.norm(places - others[:, None], axis=2)


class Trend(NamedTuple):
    """Displacements as a quadratic, or a linear, function of places and actions.

    Attributes:
        low: smallest recorded places and actions; the trend goes on flat beyond.
        high: largest ones.
        middle: mean of places and actions.
        spread: their deviations.
        weights: effect of each number, and of each product of two if there are more weights.
    """

    low: Float[np.ndarray, " D"]
    high: Float[np.ndarray, " D"]
    middle: Float[np.ndarray, " D"]
    spread: Float[np.ndarray, " D"]
    weights: Float[np.ndarray, "K O"]

    def moved(self, places: Places, actions: Actions) -> Places:
        """Return where actions lead from places, by the trend alone."""
        known = np.hstack([places, actions]).clip(self.low, self.high)
        known = (known - self.middle) / self.spread
        quadratic = len(self.weights) > known.shape[1]
        return places + (_products(known) if quadratic else known) @ self.weights


def fitted_trend(places: Places, actions: Actions, moves: Places) -> Trend:
    """Return the trend of displacements, from some of them; an intercept is left out."""
    some = slice(None, None, max(1, len(places) // FITTED))
    known = np.hstack([places[some], actions[some]])
    middle, spread = known.mean(axis=0), known.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    low, high = known.min(axis=0), known.max(axis=0)
    known, moves = (known - middle) / spread, moves[some] - moves[some].mean(axis=0)
    # As many products as a tenth of the steps are too many to fit.
    known = _products(known) if 5 * known.shape[1] ** 2 <= len(known) else known
    return Trend(low, high, middle, spread, np.linalg.lstsq(known, moves, rcond=1e-6)[0])


def _products(known: Float[np.ndarray, "B D"]) -> Float[np.ndarray, "B K"]:
    left, right = np.triu_indices(known.shape[1])
    return np.hstack([known, known[:, left] * known[:, right]])
