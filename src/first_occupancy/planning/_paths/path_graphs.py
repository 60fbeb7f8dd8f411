"""Deterministic policies as a graph, prepared once for planning to many goals."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Real
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core.errors import InputError, check_shape
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.representations.deterministic import checked

_EDGE_BYTES = 24
"""Peak memory of `path_graph` and of planning, per edge."""


class Cuts(NamedTuple):
    """The first leg from each state, and the time to the goals.

    Attributes:
        policy: policy to follow; -1 at goals and where none leads there.
        subgoal: state at which to switch; -1 where no policy leads to a goal.
        time: duration of the whole path; infinite where there is none.
    """

    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    time: Float[np.ndarray, " S"]


@dataclass(frozen=True, eq=False)
class PathGraph:
    """Deterministic policies, prepared once for planning to many goals.

    It is kept in host memory and cannot be passed to a `jit`-compiled function.

    Attributes:
        by_state: `by_state[s, n]` is `next_states[n, s]`, laid out so that the entries of a state
            are adjacent in memory.
        durations: how long each of these moves takes, above 0; None if all take one step.
    """

    by_state: Int[np.ndarray, "S N"]
    durations: Float[np.ndarray, "S N"] | None = None

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.by_state.shape[0]

    def cut(self, goals: Int[np.ndarray, " G"], max_switches: int | None = None) -> Cuts:
        """Return the shortest paths to the goals, cut into the fewest legs.

        Args:
            max_switches: upper bound on policy switches; None for any number.
        """
        from first_occupancy.planning._paths import kernels  # imports Numba

        goals = np.asarray(goals, np.int32)
        if max_switches is not None:
            most = min(int(max_switches), self.num_states)
            return Cuts(*kernels.cut_with_switches(*self._by_policy, goals, most))
        if self.durations is None:
            order, left = kernels.breadth_first(*self.backwards, goals)
            time = np.where(left < 0, np.inf, left)
        else:
            left = time = dijkstra(self._timed_backwards, indices=goals, min_only=True)
            order = np.argsort(time, kind="stable")[: int(np.isfinite(time).sum())]
        policy, subgoal = kernels.cut_into_legs(self.by_state, self._times, left, order, goals)
        if self.durations is not None and (subgoal[order] < 0).any():
            raise InputError("plan: durations must not differ by more than a factor of 10^15")
        return Cuts(policy, subgoal, time)

    @cached_property
    def backwards(self) -> tuple[Int[np.ndarray, " B"], Int[np.ndarray, " E"]]:
        """Where the states that lead to each state begin in a list, and the list."""
        from first_occupancy.planning._paths import kernels  # imports Numba

        return kernels.reversed_edges(self.by_state)

    @cached_property
    def _times(self) -> Real[np.ndarray, "S N"]:
        ones = np.broadcast_to(np.int32(1), self.by_state.shape)
        return ones if self.durations is None else self.durations

    @cached_property
    def _by_policy(self) -> tuple[Int[np.ndarray, "N S"], Real[np.ndarray, "N S"]]:
        return np.ascontiguousarray(self.by_state.T), self._times.T

    @cached_property
    def _timed_backwards(self) -> csr_array:
        assert self.durations is not None
        moving = self.by_state != np.arange(self.num_states)[:, None]
        starts = np.append(0, moving.sum(axis=1).cumsum())
        edges = self.durations[moving], self.by_state[moving], starts
        size = (self.num_states, self.num_states)
        turned = csr_array(edges, shape=size).tocsc()
        return csr_array((turned.data, turned.indices, turned.indptr), shape=size)


def path_graph(
    caller: str, next_states: Int[np.ndarray, "N S"], times: Float[np.ndarray, "N S"] | None = None
) -> PathGraph:
    """Return the graph of the policies' edges.

    Args:
        next_states: `next_states[n, s]` is the state to which policy n leads from s.
        times: how long each of these moves takes; None if all take one step.
    """
    check_shape(caller, "next_states", next_states, "N S")
    count, size = np.shape(next_states)
    if count * size >= 2**31:
        raise InputError(
            f"{caller}: next_states must have fewer than 2**31 entries, got {count} x {size}"
        )
    needed = _EDGE_BYTES * count * size
    check_fits_on_host(caller, needed, instead="fewer policies or a part of the world")
    rows = np.ascontiguousarray(_checked_rows(caller, next_states).T, dtype=np.int32)
    return PathGraph(rows, None if times is None else np.ascontiguousarray(times.T, np.float64))


def _checked_rows(caller: str, next_states: Int[np.ndarray, "N S"]) -> Int[np.ndarray, "N S"]:
    try:
        return checked(caller, next_states)
    except InputError as error:
        count, size = np.shape(next_states)
        # With more policies than states, the array is most likely transposed.
        turned = f"; it is [N S], a row for each policy, got [{count} {size}]"
        raise InputError(f"{error}{turned if count > size else ''}") from None
