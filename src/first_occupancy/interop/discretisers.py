"""Continuous observations as numbered states: cells of a grid, or the nearest cluster centre.

    states = grid_states([-1.2, -0.07], [0.6, 0.07], (24, 20))
    states = k_means_states(observations, 200, seed=0)

A discretised world is not quite Markov: what happens next depends on the position within the cell.
Its FRs are those of the chain that jumps between cells with the observed frequencies. So make cells
small compared to a step, or use first-occupancy features (`representations.features.linear`),
which need no cells.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial import KDTree

from first_occupancy.core.errors import InputError
from first_occupancy.interop.states import States, unstacked

Numbers = Sequence[float] | Sequence[int] | np.ndarray

Key = Callable[[Any], Any]
"""A function from an observation to numbers."""

MAX_ROUNDS = 300
"""Upper bound on the iterations of Lloyd's algorithm, which converges long before."""

MOST_CELLS = np.iinfo(np.int64).max
"""Cells are numbered by 64-bit integers."""


class GridStates(States):
    """The cells of a grid over a box, numbered with the last axis varying fastest.

    Observations outside the box belong to the nearest cell.

    Args:
        high: upper bounds of the box.
        key: function from an observation to its O numbers; None if it is these numbers.
    """

    def __init__(
        self,
        low: Float[np.ndarray, " O"],
        high: Float[np.ndarray, " O"],
        counts: Int[np.ndarray, " O"],
        key: Key | None = None,
    ) -> None:
        self.low, self.high, self.counts, self._key = low, high, counts, key

    @property
    def num_states(self) -> int:
        """S, the number of cells."""
        return math.prod(self.counts.tolist())

    def __call__(self, observation: Any) -> int:
        """Return the number of the cell that contains an observation."""
        place = _row("GridStates", observation, len(self.counts), self._key)
        cell = np.floor((place - self.low) / (self.high - self.low) * self.counts)
        cell = np.clip(cell, 0, self.counts - 1).astype(int)
        return int(np.ravel_multi_index(tuple(cell), tuple(self.counts)))

    def observation(self, state: int) -> Float[np.ndarray, " O"]:
        """Return the centre of a cell."""
        cell = np.array(np.unravel_index(state, tuple(self.counts)))
        return self.low + (cell + 0.5) / self.counts * (self.high - self.low)


def grid_states(
    low: Numbers, high: Numbers, counts: int | Sequence[int], *, key: Key | None = None
) -> GridStates:
    """Return the cells of a grid over a box.

    Args:
        high: finite upper bounds of the box, above `low`.
        counts: number of cells along each axis, or one number for all axes; at least 1.
        key: function from an observation to its O numbers, for example to take them out of a
            dictionary: `lambda seen: seen["position"]`. None if observations are such numbers.

    Raises:
        InputError: if the bounds or counts do not match in length or are out of range, or there
            are too many cells to number them.

    >>> states = grid_states([0, 0], [1, 2], (2, 4))
    >>> states([0.6, 0.1]), states([9, 9]), states.observation(4).tolist()
    (4, 7, [0.75, 0.25])
    """
    lows, highs = np.asarray(low, float), np.asarray(high, float)
    if lows.ndim != 1 or lows.shape != highs.shape or not len(lows):
        raise InputError(
            f"grid_states: low and high must be equally long, got {lows.shape} and {highs.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = highs - lows
    if not (np.isfinite(sizes).all() and (lows < highs).all()):
        raise InputError(
            "grid_states: low must be below high, and both finite, "
            f"got {lows.tolist()} and {highs.tolist()}"
        )
    numbers = np.asarray(counts)
    if numbers.dtype.kind not in "iu" or numbers.shape not in ((), lows.shape) or numbers.min() < 1:
        raise InputError(
            f"grid_states: counts must be whole numbers from 1, one or {len(lows)}, got {counts}"
        )
    states = GridStates(lows, highs, np.broadcast_to(numbers, lows.shape).astype(int), key)
    if states.num_states > MOST_CELLS:
        raise InputError(
            f"grid_states: cells are numbered up to 2^63, got {states.num_states:.3g} cells; use "
            "fewer per axis, or k_means_states"
        )
    return states


class NearestStates(States):
    """The Voronoi cells of some centres: an observation belongs to the nearest one.

    Args:
        scale: divisor of each coordinate when distances are measured; None for 1.
        key: function from an observation to its O numbers; None if it is these numbers.
    """

    def __init__(
        self,
        centres: Float[np.ndarray, "S O"],
        scale: Float[np.ndarray, " O"] | None = None,
        key: Key | None = None,
    ) -> None:
        self._key = key
        self.centres = np.asarray(centres, float)
        self.scale = np.ones(self.centres.shape[1]) if scale is None else np.asarray(scale, float)
        self._tree = KDTree(self.centres / self.scale)

    @property
    def num_states(self) -> int:
        """S, the number of centres."""
        return len(self.centres)

    def __call__(self, observation: Any) -> int:
        """Return the number of the nearest centre."""
        place = _row("NearestStates", observation, self.centres.shape[1], self._key)
        return int(self._tree.query(place / self.scale)[1])

    def observation(self, state: int) -> Float[np.ndarray, " O"]:
        """Return the centre of a state."""
        return self.centres[state]


def k_means_states(
    observations: Any, num_states: int, *, seed: int = 0, key: Key | None = None
) -> NearestStates:
    r"""Return the k-means clusters of observations as states, $\min \sum_b |x_b - c|^2$.

    Coordinates are first divided by their standard deviation over the observations, or positions
    would dominate velocities. Lloyd's algorithm runs until it converges, from centres drawn far
    from each other (k-means++, Arthur and Vassilvitskii 2007).

    Args:
        observations: finite observations, one per row; or a list of observations of any kind, or
            a dictionary of their parts, if `key` takes the numbers out of each.
        num_states: number of clusters, at most the number of distinct observations.
        key: function from an observation to its O numbers; None if observations are such numbers.

    Raises:
        InputError: if the observations are not finite or not a matrix, or `num_states` is out of
            range.
    """
    if key is not None:
        each = unstacked(observations) if isinstance(observations, Mapping) else observations
        observations = [_floats("k_means_states", key(observation)) for observation in each]
    elif isinstance(observations, Mapping):
        raise InputError(
            "k_means_states: observations must be numbers of shape [B O], got dictionaries; pass "
            "key= to take numbers out of them"
        )
    rows = _floats("k_means_states", observations)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InputError(
            "k_means_states: observations must be finite numbers of shape [B O], "
            f"got shape {list(rows.shape)}"
        )
    scale = _spread(rows)
    scaled = rows / scale
    # Observations that differ by less than a rounding error of their spread count as one.
    distinct = np.unique(scaled, axis=0)
    if not _is_whole(num_states) or not 1 <= num_states <= len(distinct):
        raise InputError(
            f"k_means_states: num_states must be in 1..{len(distinct)}, the number of different "
            f"observations, got {num_states}"
        )
    centres = _lloyd(scaled, _spread_out(scaled, num_states, seed))
    return NearestStates(centres * scale, scale, key)


def _spread(rows: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each column, 1 where that is 0."""
    with np.errstate(over="ignore"):
        spread = rows.std(axis=0)
    largest = np.abs(rows).max(axis=0, initial=0)
    extreme = ~np.isfinite(spread) | ((spread == 0) & (largest > 0))
    # Where squares overflow or underflow, the columns are first divided by their largest entry.
    again = (rows / np.where(largest > 0, largest, 1)).std(axis=0) * largest
    spread = np.where(extreme, again, spread)
    return np.where(spread > 0, spread, 1.0)


def _spread_out(rows: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Return rows drawn with probability proportional to the squared distance to those before."""
    rng = np.random.default_rng(seed)
    chosen = [int(rng.integers(len(rows)))]
    nearest = np.square(rows - rows[chosen[0]]).sum(axis=1)
    while len(chosen) < count:
        if not nearest.any():  # squares underflow: any row that differs will do
            kinds = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
            nearest = ~np.isin(kinds, kinds[chosen])
        chosen.append(int(rng.choice(len(rows), p=nearest / nearest.sum())))
        nearest = np.minimum(nearest, np.square(rows - rows[chosen[-1]]).sum(axis=1))
    return rows[chosen]


def _lloyd(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    for _ in range(MAX_ROUNDS):
        owner = KDTree(centres).query(rows)[1]
        counts = np.bincount(owner, minlength=len(centres))
        sums = np.zeros_like(centres)
        np.add.at(sums, owner, rows)
        # The centre of an empty cluster stays where it is.
        moved = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _row(caller: str, observation: Any, size: int, key: Key | None) -> np.ndarray:
    observation = observation if key is None else key(observation)
    if isinstance(observation, Mapping):
        raise InputError(
            f"{caller}: observation must be {size} finite numbers, got a dictionary; pass key= to "
            "take numbers out of it"
        )
    place = _floats(caller, observation)
    if place.shape != (size,):
        raise InputError(
            f"{caller}: observation must be {size} finite numbers, got shape {list(place.shape)}"
        )
    if not np.isfinite(place).all():
        raise InputError(f"{caller}: observation must be {size} finite numbers, got {observation}")
    return place


def _floats(caller: str, numbers: Any) -> np.ndarray:
    try:
        return np.asarray(numbers, float)
    except (TypeError, ValueError):
        raise InputError(
            f"{caller}: observations must be arrays of numbers, as many in each; pass key= to take "
            "numbers out of other observations"
        ) from None


def _is_whole(number: Any) -> bool:
    try:
        operator.index(number)
    except TypeError:
        return False
    return True
