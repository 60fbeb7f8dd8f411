"""A control without landmarks, pessimism or first occupancy: a search on a graph of positions.

The plane is cut into square bins. Two bins are joined if a log moves from one to the other in
`LAG` steps, at least `TWICE` times; bins from which it ever jumps are closed. Dijkstra's search
gives the distance of every bin to the goal, and an agent heads for the best bin nearby. After a
standstill it takes a few random steps. Whatever it reaches, planning with FRs need not explain.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import KDTree

from first_occupancy.core.episodes import Episodes

NAME = "graph of positions"
"""Name of the control in rows and ledger."""

BIN, LAG, TWICE = 0.5, 5, 2
"""Width of a bin, steps of a recorded move, and how often it must have been recorded."""

JUMP, NEAR, AT_GOAL = 0.6, 0.9, 1.0
"""Distances: of a step that is a jump, to bins to head for, and from which to head for the goal."""

ENTRANCES, STANDSTILL, LOST, ESCAPE = 6, 0.3, 8, 6
"""Bins that count as the goal; how little an agent moved, in how many steps, before it takes how
many random ones."""

SLOW = 0.2
"""Distance below which an agent slows down."""


class PositionGraph:
    """The bins of a log, and how far each is from any goal.

    Args:
        log: recorded episodes of positions in the plane.
    """

    def __init__(self, log: Episodes) -> None:
        places = log.observations
        cells = np.floor(places / BIN).astype(int)
        _, bins = np.unique(cells, axis=0, return_inverse=True)
        bins = bins.ravel()
        counts = np.bincount(bins)
        sums = [np.bincount(bins, column) for column in places.T]
        self.centres = np.stack(sums, axis=1) / counts[:, None]
        jumps = np.append(np.linalg.norm(np.diff(places, axis=0), axis=1) > JUMP, False) & ~log.last
        closed = np.zeros(len(counts), dtype=bool)
        closed[bins[jumps]] = True
        self._lengths = self._joined(bins, closed, _moves(log, jumps))
        self._open = np.flatnonzero(~closed)
        self._tree = KDTree(self.centres[self._open])

    def distances(self, goal: Float[np.ndarray, " 2"]) -> Float[np.ndarray, " S"]:
        """Return the length of the shortest recorded way from each bin to the goal."""
        ends = self._open[self._tree.query(goal, k=ENTRANCES)[1]]
        return dijkstra(csr_array(self._lengths.T), indices=ends, min_only=True)

    def waypoint(
        self, place: Float[np.ndarray, " 2"], distances: Float[np.ndarray, " S"]
    ) -> Float[np.ndarray, " 2"]:
        """Return the centre of the bin nearby that is closest to the goal.

        Args:
            place: where the agent is.
            distances: distance of each bin to the goal.
        """
        near = self._open[self._tree.query_ball_point(place, NEAR)]
        near = near[np.isfinite(distances[near])]
        if not len(near):
            known = self._open[np.isfinite(distances[self._open])]
            gaps = np.linalg.norm(self.centres[known] - place, axis=1)
            near = known[[gaps.argmin()]]
        return self.centres[near[distances[near].argmin()]]

    def _joined(
        self, bins: Int[np.ndarray, " T"], closed: np.ndarray, starts: Int[np.ndarray, " M"]
    ) -> csr_array:
        """Return the lengths of the edges."""
        one, other = bins[starts], bins[starts + LAG]
        kept = ~closed[one] & ~closed[other] & (one != other)
        size = len(closed)
        pairs, times = np.unique(one[kept] * size + other[kept], return_counts=True)
        one, other = np.divmod(pairs[times >= TWICE], size)
        gaps = np.linalg.norm(self.centres[one] - self.centres[other], axis=1)
        return csr_array((gaps, (one, other)), shape=(size, size))


class PositionAgent:
    """An agent that heads for waypoints of a graph.

    Args:
        graph: graph of positions.
        goal: its goal.
        seed: seed of its random steps.
    """

    stalls = 0

    def __init__(self, graph: PositionGraph, goal: Float[np.ndarray, " 2"], seed: int) -> None:
        self._graph, self._goal, self._distances = graph, goal, graph.distances(goal)
        self._rng, self._left, self._random = np.random.default_rng(seed), 0, np.zeros(2)
        self._path: list[np.ndarray] = []

    def predict(self, place: Float[np.ndarray, " 2"]) -> tuple[Float[np.ndarray, " 2"], None]:
        """Return the action at a place, and nothing else."""
        return self._action(place), None

    def _action(self, place: np.ndarray) -> np.ndarray:
        goal, path = self._goal, self._path
        path.append(place.copy())
        if self._left:
            self._left -= 1
            return self._random
        if np.linalg.norm(place - goal) < AT_GOAL:
            return _towards(goal - place)
        if len(path) > LOST and np.linalg.norm(path[-1] - path[-1 - LOST]) < STANDSTILL:
            path.clear()
            move = self._rng.normal(size=2)
            self._left, self._random = ESCAPE, move / np.abs(move).max()
            return self._random
        return _towards(self._graph.waypoint(place, self._distances) - place)


def _moves(log: Episodes, jumps: np.ndarray) -> Int[np.ndarray, " M"]:
    """Return the rows from which `LAG` steps lead on in one episode, without a jump."""
    breaks = np.concatenate([[0], np.cumsum(log.last | jumps)])
    rows = np.arange(len(log.last) - LAG)
    return rows[breaks[rows + LAG] == breaks[rows]]


def _towards(move: np.ndarray) -> np.ndarray:
    """Return the action in a direction, slower close to its end."""
    return move / max(np.abs(move).max(), SLOW)
