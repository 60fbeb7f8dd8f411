"""Continuous observations as numbered states: cells of a grid, or the nearest place seen.

    states = grid_states([-1.2, -0.07], [0.6, 0.07], (24, 20))
    states = k_means_states(observations, 200, seed=0)

A discretised world is not quite Markov: what happens next depends on where in its cell one
is. FRs of it are those of the chain that jumps between cells with the frequencies seen, so
take cells small beside a step's length, or use first-occupancy features
(`representations.features.linear`), which need no cells.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial import KDTree

from first_occupancy.core.errors import InputError
from first_occupancy.interop.states import States

Numbers = Sequence[float] | Sequence[int] | np.ndarray

MAX_ROUNDS = 300
"""Rounds of Lloyd's algorithm; it has come to rest long before."""


class GridStates(States):
    """The cells of a grid over a box; the last axis varies fastest.

    Observations outside the box count as in the nearest cell.
    """

    def __init__(
        self,
        low: Float[np.ndarray, " O"],
        high: Float[np.ndarray, " O"],
        counts: Int[np.ndarray, " O"],
    ) -> None:
        self.low, self.high, self.counts = low, high, counts

    @property
    def num_states(self) -> int:
        """S, the number of cells."""
        return int(np.prod(self.counts))

    def __call__(self, observation: Any) -> int:
        """Return the number of the cell an observation lies in."""
        place = _row("GridStates", observation, len(self.counts))
        cell = np.floor((place - self.low) / (self.high - self.low) * self.counts)
        cell = np.clip(cell, 0, self.counts - 1).astype(int)
        return int(np.ravel_multi_index(tuple(cell), tuple(self.counts)))

    def observation(self, state: int) -> Float[np.ndarray, " O"]:
        """Return the middle of a cell."""
        cell = np.array(np.unravel_index(state, tuple(self.counts)))
        return self.low + (cell + 0.5) / self.counts * (self.high - self.low)


def grid_states(low: Numbers, high: Numbers, counts: int | Sequence[int]) -> GridStates:
    """Return the cells of a box, `counts` of them along each of its axes.

    >>> states = grid_states([0, 0], [1, 2], (2, 4))
    >>> states([0.6, 0.1]), states([9, 9]), states.observation(4).tolist()
    (4, 7, [0.75, 0.25])
    """
    lows, highs = np.asarray(low, float), np.asarray(high, float)
    if lows.ndim != 1 or lows.shape != highs.shape or not len(lows):
        raise InputError(
            f"grid_states: low and high must be equally long, got {lows.shape} and {highs.shape}"
        )
    if not (np.isfinite(lows).all() and np.isfinite(highs).all() and (lows < highs).all()):
        raise InputError(
            "grid_states: low must be below high, and both finite, "
            f"got {lows.tolist()} and {highs.tolist()}"
        )
    numbers = np.asarray(counts)
    if numbers.dtype.kind not in "iu" or numbers.shape not in ((), lows.shape) or numbers.min() < 1:
        raise InputError(
            f"grid_states: counts must be whole numbers from 1, one or {len(lows)}, got {counts}"
        )
    return GridStates(lows, highs, np.broadcast_to(numbers, lows.shape).copy())


class NearestStates(States):
    """The Voronoi cells of some centres: an observation belongs to the nearest.

    Distances are taken after each number is divided by its `scale`.
    """

    def __init__(
        self, centres: Float[np.ndarray, "S O"], scale: Float[np.ndarray, " O"] | None = None
    ) -> None:
        self.centres = np.asarray(centres, float)
        self.scale = np.ones(self.centres.shape[1]) if scale is None else np.asarray(scale, float)
        self._tree = KDTree(self.centres / self.scale)

    @property
    def num_states(self) -> int:
        """S, the number of centres."""
        return len(self.centres)

    def __call__(self, observation: Any) -> int:
        """Return the number of the nearest centre."""
        place = _row("NearestStates", observation, self.centres.shape[1])
        return int(self._tree.query(place / self.scale)[1])

    def observation(self, state: int) -> Float[np.ndarray, " O"]:
        """Return the centre."""
        return self.centres[state]


def k_means_states(
    observations: Float[np.ndarray, "B O"], num_states: int, *, seed: int = 0
) -> NearestStates:
    r"""Return states whose centres sum up the observations best, $\min \sum_b |x_b - c|^2$.

    Numbers are first divided by their standard deviation over the observations, or a position
    would drown a velocity. Lloyd's algorithm until it rests, from centres drawn far
    from each other (k-means++, Arthur and Vassilvitskii 2007).
    """
    rows = np.asarray(observations, float)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InputError(
            "k_means_states: observations must be finite numbers of shape [B O], "
            f"got shape {list(rows.shape)}"
        )
    distinct = len(np.unique(rows, axis=0))
    if not 1 <= num_states <= distinct:
        raise InputError(
            f"k_means_states: num_states must be in 1..{distinct}, the number of different "
            f"observations, got {num_states}"
        )
    spread = rows.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    centres = _lloyd(rows / scale, _spread_out(rows / scale, num_states, seed))
    return NearestStates(centres * scale, scale)


def _spread_out(rows: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Return rows, each drawn with odds of its squared distance to those before."""
    rng = np.random.default_rng(seed)
    chosen = [rows[rng.integers(len(rows))]]
    nearest = np.square(rows - chosen[0]).sum(axis=1)
    while len(chosen) < count:
        chosen.append(rows[rng.choice(len(rows), p=nearest / nearest.sum())])
        nearest = np.minimum(nearest, np.square(rows - chosen[-1]).sum(axis=1))
    return np.stack(chosen)


def _lloyd(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    for _ in range(MAX_ROUNDS):
        owner = KDTree(centres).query(rows)[1]
        counts = np.bincount(owner, minlength=len(centres))
        sums = np.zeros_like(centres)
        np.add.at(sums, owner, rows)
        # A centre that owns nothing stays where it is.
        moved = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _row(caller: str, observation: Any, size: int) -> np.ndarray:
    place = np.asarray(observation, float)
    if place.shape != (size,):
        raise InputError(
            f"{caller}: observation must be {size} finite numbers, got shape {list(place.shape)}"
        )
    if not np.isfinite(place).all():
        raise InputError(f"{caller}: observation must be {size} finite numbers, got {observation}")
    return place
