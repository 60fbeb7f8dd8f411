r"""Shortest paths cut into legs by two searches: for many goals in one small world.

`shortest_paths` walks through the levels of a search, and each level costs a dozen calls of NumPy:
their overhead is most of the time in worlds of a few thousand states. Here all legs that a policy
can make, s -> t in k steps, are listed once per world. With d the number of steps to the goal, a
leg lies on a shortest path if and only if $d(s) = d(t) + k$. A second search, over these legs, then
counts the legs that remain, L; those from L to L - 1 are the candidates of a state, and the first
subgoal, then the first policy, wins as in `shortest_paths`. So both searches are SciPy's, and what
remains are a few operations on whole arrays.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from first_occupancy.planning._paths.shortest_paths import Cuts, Keys, packing
from first_occupancy.planning.limits import NOTHING

MOST_EDGES = 2**16
"""Edges of the policies up to which legs are listed. Larger worlds have wide levels, whose overhead
is small."""

MOST_LEGS = 16
"""Legs per edge up to which they are listed, on average. Policies that run in circles have more."""


class LegGraph(NamedTuple):
    """All legs of all policies in a small world, sorted by subgoal, then by policy.

    Attributes:
        start: state where the leg begins.
        subgoal: state where it ends.
        length: number of its steps.
        key: subgoal and policy in one integer, ascending.
        keys: bit widths of the keys.
        num_states: S, the number of states.
    """

    start: Int[np.ndarray, " M"]
    subgoal: Int[np.ndarray, " M"]
    length: Int[np.ndarray, " M"]
    key: Int[np.ndarray, " M"]
    keys: Keys
    num_states: int

    def cut(self, backwards: csr_array, goal: int) -> Cuts:
        """Return the shortest paths to a goal, cut into the fewest legs."""
        size = self.num_states
        steps = _distances(backwards, goal)
        # No policy comes nearer by more than one per step.
        tight = np.flatnonzero(steps.take(self.start) - steps.take(self.subgoal) == self.length)
        start, subgoal = self.start.take(tight), self.subgoal.take(tight)
        rows = np.zeros(size + 1, np.int32)
        np.cumsum(np.bincount(subgoal, minlength=size), out=rows[1:])
        edges = np.ones(len(start)), start.astype(np.int32), rows
        legs = _distances(csr_array(edges, shape=(size, size)), goal)
        # From the last to the first: the smallest key of each state is written last, and stays.
        fewest = np.flatnonzero(legs.take(start) - legs.take(subgoal) == 1)[::-1]
        best = np.full(size, NOTHING)
        best[start.take(fewest)] = self.key.take(tight.take(fewest))
        policy = np.where(best < 0, NOTHING, best & ((1 << self.keys.policy_bits) - 1))
        towards = best >> self.keys.policy_bits  # -1 stays -1.
        towards[goal] = goal
        steps[steps == size] = NOTHING
        return Cuts(policy, towards, steps)


def leg_graph(by_state: Int[np.ndarray, "S N"]) -> LegGraph | None:
    """Return all legs of the policies; None if they are so many that listing them does not pay."""
    size, count = by_state.shape
    if size * count > MOST_EDGES:
        return None
    ends = by_state.ravel().astype(np.intp)
    origins, policies = np.divmod(np.arange(size * count), count)
    here, found, total = origins, [], 0
    while len(ends):
        # A run ends where its policy stays, or comes back to where it began.
        moves = np.flatnonzero((ends != here) & (ends != origins))
        origins, policies, here = origins.take(moves), policies.take(moves), ends.take(moves)
        total += len(here)
        if total > MOST_LEGS * size * count:
            return None
        found.append((origins, here, policies))
        ends = by_state.take(here * count + policies).astype(np.intp)
    start, subgoal, policy = (np.concatenate(each) for each in zip(*found, strict=True))
    length = np.repeat(np.arange(1, len(found) + 1, dtype=np.int32), [len(f[0]) for f in found])
    keys = packing(size, count)
    key = (subgoal << keys.policy_bits) | policy
    order = np.argsort(key)
    return LegGraph(start[order], subgoal[order], length[order], key[order], keys, size)


def _distances(graph: csr_array, source: int) -> Int[np.ndarray, " S"]:
    """Return the number of edges from a source to each node; S where there is no path.

    Breadth-first search keeps parents in order, so each level ends where the children of the last
    node of the level before end.
    """
    order, parent = breadth_first_order(graph, source)
    reached, size = len(order), graph.shape[0]
    place = np.empty(size, np.intp)
    place[order] = np.arange(reached)
    parent[source] = source
    children_end = np.cumsum(np.bincount(place.take(parent.take(order)), minlength=reached))
    begins, begin = [], 1
    while begin < reached:
        begins.append(begin)
        begin = children_end.item(begin - 1)
    level = np.zeros(reached, np.int32)
    level[begins] = 1
    distances = np.full(size, size, np.int32)
    distances[order] = np.cumsum(level)
    return distances
