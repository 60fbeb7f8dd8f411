r"""Cheapest paths to a set of goals where moves differ in duration, cut into the fewest legs.

A leg follows one policy n along its edges s -> t, each of which takes some time. Dijkstra's search
backwards from the goals gives the time c(s) that is left; an edge is *tight* if it takes exactly
$c(s) - c(t)$, as floats. Tight edges form a graph without cycles. Its states are settled in layers,
each after all states that its tight edges lead to; then the legs follow from the recursion of
`shortest_paths`, and ties are broken alike.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core.errors import InputError
from first_occupancy.planning._paths.shortest_paths import NEVER, Keys, packing
from first_occupancy.planning.limits import NOTHING


class TimedCuts(NamedTuple):
    """The first leg from each state, and the time to the goals.

    Attributes:
        policy: policy to follow; -1 at goals and where none leads there.
        subgoal: state at which to switch; -1 where no policy leads to a goal.
        time: duration of the whole path; infinite where there is none.
    """

    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    time: Float[np.ndarray, " S"]


class TimedEdges(NamedTuple):
    """The moves of deterministic policies that lead to another state, by state and policy.

    Attributes:
        begins: state that each move leaves.
        ends: state that it leads to.
        policies: policy that makes it.
        times: how long it takes.
        backwards: time of each move from column to row.
        num_policies: number of policies.
    """

    begins: Int[np.ndarray, " E"]
    ends: Int[np.ndarray, " E"]
    policies: Int[np.ndarray, " E"]
    times: Float[np.ndarray, " E"]
    backwards: csr_array
    num_policies: int

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.backwards.shape[0]


def timed_edges(
    by_state: Int[np.ndarray, "S N"], durations: Float[np.ndarray, "S N"]
) -> TimedEdges:
    """Return the moves of policies as edges.

    Args:
        durations: how long each of these moves takes, above 0.
    """
    size, count = by_state.shape
    moving = by_state != np.arange(size)[:, None]
    begins, policies = np.nonzero(moving)
    ends, times = by_state[moving], durations[moving]
    starts = np.append(0, moving.sum(axis=1).cumsum())
    turned = csr_array((times, ends, starts), shape=(size, size)).tocsc()
    backwards = csr_array((turned.data, turned.indices, turned.indptr), shape=(size, size))
    return TimedEdges(begins, ends, policies, times, backwards, count)


def cut_cheapest_paths(edges: TimedEdges, goals: Int[np.ndarray, " G"]) -> TimedCuts:
    """Return the cheapest paths to the goals, cut into the fewest legs."""
    time = dijkstra(edges.backwards, indices=goals, min_only=True)
    begins, ends = edges.begins, edges.ends
    tight = time[ends] + edges.times == time[begins]
    tight &= np.isfinite(time)[begins] & (time > 0)[begins]
    chosen = np.flatnonzero(tight)
    keys = packing(edges.num_states, edges.num_policies)
    best = np.full(edges.num_states, NEVER)
    best[goals] = goals.astype(np.int64) << keys.policy_bits
    ways = _Tight.of(edges, chosen)
    _settle(ways, best, keys, goals)
    if (np.isfinite(time) & (best == NEVER)).any():
        raise InputError("plan: durations must not differ by more than a factor of 10^15")
    policy = (best & ((1 << keys.policy_bits) - 1)).astype(np.int32)
    subgoal = ((best >> keys.policy_bits) & ((1 << keys.state_bits) - 1)).astype(np.int32)
    lost = best == NEVER
    policy[lost] = subgoal[lost] = policy[goals] = NOTHING
    return TimedCuts(policy, subgoal, time)


class _Tight(NamedTuple):
    """The tight edges, in the order of the states they leave.

    Attributes:
        starts: `starts[s]` is the first edge out of s.
        ends: state that each edge leads to.
        policies: policy that makes the move.
        onwards: edge of the same policy out of the state that the edge leads to; -1 if none.
        behind_starts: `behind_starts[t]` is where the states behind t begin in `behind`.
        behind: states behind each state, once for each edge.
    """

    starts: Int[np.ndarray, " B"]
    ends: Int[np.ndarray, " T"]
    policies: Int[np.ndarray, " T"]
    onwards: Int[np.ndarray, " T"]
    behind_starts: Int[np.ndarray, " B"]
    behind: Int[np.ndarray, " T"]

    @classmethod
    def of(cls, edges: TimedEdges, chosen: Int[np.ndarray, " T"]) -> "_Tight":
        begins, ends, policies = (
            each[chosen] for each in (edges.begins, edges.ends, edges.policies)
        )
        size, count = edges.num_states, edges.num_policies
        # Sorted by state and policy, so that an edge is found by both.
        codes = begins * np.int64(count) + policies
        wanted = ends * np.int64(count) + policies
        places = np.minimum(np.searchsorted(codes, wanted), max(len(codes) - 1, 0))
        onwards = np.where(codes[places] == wanted, places, -1) if len(codes) else places
        starts = np.append(0, np.bincount(begins, minlength=size).cumsum())
        behind_starts = np.append(0, np.bincount(ends, minlength=size).cumsum())
        behind = begins[np.argsort(ends, kind="stable")]
        return cls(starts, ends, policies, onwards, behind_starts, behind)


def _settle(
    ways: _Tight, best: Int[np.ndarray, " S"], keys: Keys, goals: Int[np.ndarray, " G"]
) -> None:
    """Fill in the best key of every state from which tight edges lead to the goals."""
    # The key of a path that ends in a state, and the best key along each edge's policy.
    own = np.full(len(best), NEVER)
    own[goals] = best[goals]
    met = np.append(np.full(len(ways.ends), NEVER), NEVER)  # the last entry is "no edge"
    open_edges = np.diff(ways.starts)
    branching = (open_edges > 1).any()
    layer = np.asarray(goals)
    while len(layer):
        behind = ways.behind[_ranges(ways.behind_starts, layer)]
        if branching:
            np.subtract.at(open_edges, behind, 1)
            layer = np.unique(behind[open_edges[behind] == 0])
        else:
            layer = behind
        if not len(layer):
            return
        edges = _ranges(ways.starts, layer)
        ahead = np.minimum(own[ways.ends[edges]], met[ways.onwards[edges]])
        met[edges] = ahead
        firsts = np.append(0, np.diff(ways.starts)[layer].cumsum()[:-1])
        best[layer] = np.minimum.reduceat(ahead | ways.policies[edges], firsts)
        own[layer] = (layer << keys.policy_bits) + keys.one + (best[layer] & -keys.one)


def _ranges(starts: Int[np.ndarray, " B"], rows: Int[np.ndarray, " W"]) -> np.ndarray:
    """Return the numbers from `starts[row]` to `starts[row + 1]` of all rows, one after another."""
    begins = starts[rows]
    lengths = starts[rows + 1] - begins
    offsets = np.repeat(begins - np.append(0, lengths.cumsum()[:-1]), lengths)
    return np.arange(len(offsets)) + offsets
