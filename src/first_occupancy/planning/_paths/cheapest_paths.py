r"""Cheapest paths to a set of goals where moves differ in duration, cut into the fewest legs.

A leg follows one policy n along the edges s -> by_state[s, n], each of which takes
`durations[s, n]`. Dijkstra's search backwards from the goals gives the time c(s) that is left; an
edge is *tight* if $c(s) = d(s, n) + c(t)$ exactly, as floats. Tight edges form a graph without
cycles. Its states are settled in layers, each after all states that its tight edges lead to; then
the legs follow from the recursion of `shortest_paths`, and ties are broken alike.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core.errors import InputError
from first_occupancy.planning._paths.shortest_paths import NEVER, Keys, packing
from first_occupancy.planning.plans import NOTHING


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


def cut_cheapest_paths(
    by_state: Int[np.ndarray, "S N"],
    durations: Float[np.ndarray, "S N"],
    backwards: csr_array,
    goals: Int[np.ndarray, " G"],
) -> TimedCuts:
    """Return the cheapest paths to the goals, cut into the fewest legs.

    Args:
        by_state: where each policy leads from each state.
        durations: how long each of these moves takes, above 0.
        backwards: an edge t -> s, as long as the move takes, for every move from s to t.
        goals: states to arrive in.
    """
    size, count = by_state.shape
    time = dijkstra(backwards, indices=goals, min_only=True)
    states = np.arange(size)
    tight = (time[by_state] + durations == time[:, None]) & (by_state != states[:, None])
    tight[goals] = False
    tight[np.isinf(time)] = False
    keys = packing(size, count)
    best = np.full(size, NEVER)
    best[goals] = goals.astype(np.int64) << keys.policy_bits
    _settle(by_state, tight, best, keys, goals)
    if (np.isfinite(time) & (best == NEVER)).any():
        raise InputError("plan: durations must not differ by more than a factor of 10^15")
    policy = (best & ((1 << keys.policy_bits) - 1)).astype(np.int32)
    subgoal = ((best >> keys.policy_bits) & ((1 << keys.state_bits) - 1)).astype(np.int32)
    lost = best == NEVER
    policy[lost] = subgoal[lost] = policy[goals] = NOTHING
    return TimedCuts(policy, subgoal, time)


def _settle(
    by_state: Int[np.ndarray, "S N"],
    tight: Bool[np.ndarray, "S N"],
    best: Int[np.ndarray, " S"],
    keys: Keys,
    goals: Int[np.ndarray, " G"],
) -> None:
    """Fill in the best key of every state that tight edges lead to the goals from."""
    size, count = by_state.shape
    policies = np.arange(count)
    met = np.full((size, count), NEVER)
    met[goals] = best[goals][:, None]
    open_edges = tight.sum(axis=1)
    behind = _behind(by_state, tight)
    layer = goals
    while len(layer):
        sources = _sources(behind, layer)
        np.subtract.at(open_edges, sources, 1)
        layer = np.unique(sources[open_edges[sources] == 0])
        ahead = np.where(tight[layer], met[by_state[layer], policies[None]], NEVER)
        best[layer] = (ahead | policies[None]).min(axis=1)
        own = (layer << keys.policy_bits) + keys.one + (best[layer] & -keys.one)
        met[layer] = np.minimum(ahead, own[:, None])


class _Behind(NamedTuple):
    """The states behind each state along tight edges: `states[starts[t]:starts[t + 1]]`."""

    starts: Int[np.ndarray, " S+1"]
    states: Int[np.ndarray, " E"]


def _behind(by_state: Int[np.ndarray, "S N"], tight: Bool[np.ndarray, "S N"]) -> _Behind:
    states, policies = np.nonzero(tight)
    targets = by_state[states, policies]
    starts = np.append(0, np.bincount(targets, minlength=len(by_state)).cumsum())
    return _Behind(starts, states[np.argsort(targets, kind="stable")])


def _sources(behind: _Behind, layer: Int[np.ndarray, " W"]) -> Int[np.ndarray, " E"]:
    begins, ends = behind.starts[layer], behind.starts[layer + 1]
    lengths = ends - begins
    offsets = np.repeat(begins - np.append(0, lengths.cumsum()[:-1]), lengths)
    return behind.states[np.arange(lengths.sum()) + offsets]
