r"""Shortest paths to one goal, cut into the fewest legs.

A leg follows one policy n along the edges s -> by_state[s, n]. A breadth-first search
backwards from the goal gives the number of steps d; an edge is *tight* if it leads from d to
d - 1. Legs of a shortest path use tight edges only. With L(s) legs still to go from s,

$$L(s) = 1 + \min_n\, \min\{L(s') : s' \text{ along n's tight path from } s\},
  \qquad L(goal) = 0,$$

and the inner minimum is computed along the path: $m_n(s) = \min(L(t), m_n(t))$ for the tight edge
s -> t of policy n. So one pass in the order of the search determines the number of legs, the
policy and the subgoal of each state, in time proportional to the number of edges.

Tie-breaking is that of `frp.plan_to_goal`: the first subgoal, then the first policy that leads
there. It follows from comparing (legs, subgoal, policy) packed into one integer key.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import ArrayLike, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from first_occupancy.planning.limits import NOTHING

NARROW = 8
"""Number of states at one distance below which a plain loop is faster than array operations, as
in corridors."""

CHUNK = 16384
"""Edges processed at once, few enough that all data they need stay in the cache."""

NEVER = np.iinfo(np.int64).max
"""The key of a path that reaches no subgoal."""


class Cuts(NamedTuple):
    """The first leg from each state, and its steps to the goal; -1 where it is unreachable."""

    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    steps: Int[np.ndarray, " S"]


class Keys(NamedTuple):
    """Bit widths of keys: a number of legs or steps, a subgoal and a policy in one integer."""

    state_bits: int
    policy_bits: int

    @property
    def one(self) -> int:
        """The difference in a key that one more leg or step makes."""
        return 1 << (self.state_bits + self.policy_bits)


def packing(num_states: int, num_policies: int) -> Keys:
    """Return keys wide enough for so many states and policies."""
    return Keys((num_states - 1).bit_length(), (num_policies - 1).bit_length())


class _Front(NamedTuple):
    """The states `steps` from the goal: their range in the order of the search, and the best keys.

    `met` holds the best key on each policy's path from each of them. Its last column stands for
    paths that leave the shortest paths, which reach no subgoal.
    """

    steps: int
    begin: int
    end: int
    met: Int[np.ndarray, "N width+1"]


class _Search(NamedTuple):
    """The graph, the order in which breadth-first search reached the states, and the results.

    `place[s]` is the position of s in the order, or its length before s was visited; `best[s]` is
    the best key of s and `steps[s]` its distance. They are filled in as the front advances, while
    its surroundings are in the cache; later it would take far longer.
    """

    by_state: Int[np.ndarray, "S N"]
    order: Int[np.ndarray, " R"]
    parent: Int[np.ndarray, " S"]
    keys: Keys
    place: Int[np.ndarray, " S"]
    best: Int[np.ndarray, " S"]
    steps: Int[np.ndarray, " S"]

    def level_after(self, front: _Front) -> int:
        """Return where the next level ends; breadth-first search keeps parents in order."""
        behind = lambda state: self.place[self.parent[state]]  # noqa: E731 (a method is slower)
        end, size = front.end, len(self.order)
        # Levels usually grow slowly, so search nearby first.
        nearby = end + 2 * (end - front.begin) + NARROW
        if nearby >= size or behind(self.order[nearby - 1]) < end:
            nearby = size
        return bisect_left(self.order, end, lo=end, hi=nearby, key=behind)

    def look_at(self, begin: int, end: int) -> tuple[Int[np.ndarray, " W"], Int[np.ndarray, "W N"]]:
        """Visit a range of the order; return its states and the places the policies lead to."""
        states = self.order[begin:end].astype(np.intp)
        self.place[states] = np.arange(begin, begin + len(states), dtype=np.int32)
        return states, self.place.take(self.by_state.take(states, axis=0))

    def own_keys(self, states: Int[np.ndarray, " W"]) -> Int[np.ndarray, " W"]:
        """Return the keys that the states would have at one leg from the goal."""
        return (states << self.keys.policy_bits) + self.keys.one

    def note(
        self, states: Int[np.ndarray, " W"], best: Int[ArrayLike, " W"], steps: Int[ArrayLike, "*W"]
    ) -> None:
        self.best[states], self.steps[states] = best, steps


def cut_shortest_paths(by_state: Int[np.ndarray, "S N"], backwards: csr_array, goal: int) -> Cuts:
    """Return the shortest paths to `goal`, cut into the fewest legs.

    `backwards` has an edge t -> s for every s that some policy leads to t.
    """
    search = _begin(by_state, backwards, goal)
    met = np.full((by_state.shape[1], 2), NEVER)
    met[:, 0] = search.best[goal]
    front = _Front(0, 0, 1, met)
    while front.end < len(search.order):
        end = search.level_after(front)
        narrow = end - front.end < NARROW
        front = _walk(search, front) if narrow else _advance(search, front, end)
    return decoded(search.best, search.steps, keys=search.keys, goal=goal)


def _begin(by_state: Int[np.ndarray, "S N"], backwards: csr_array, goal: int) -> _Search:
    size, count = by_state.shape
    order, parent = breadth_first_order(backwards, goal)
    keys = packing(size, count)
    place = np.full(size, len(order), np.int32)
    steps = np.full(size, NOTHING, np.int32)
    best = np.full(size, NOTHING, np.int64)
    place[goal], steps[goal], best[goal] = 0, 0, goal << keys.policy_bits
    return _Search(by_state, order, parent, keys, place, best, steps)


def _advance(search: _Search, front: _Front, end: int) -> _Front:
    """Return the front one step further from the goal."""
    count, width = front.met.shape
    policies = np.arange(count, dtype=np.int32)[:, None]
    # Offset of each policy's row in the flat array, less the place of the front's first state.
    shifts = policies * width - front.begin
    ahead = np.empty((count, end - front.end + 1), np.int64)
    ahead[:, -1] = NEVER
    stride = max(1, CHUNK // count)
    for begin in range(front.end, end, stride):
        stop = min(begin + stride, end)
        states, places = search.look_at(begin, stop)
        # No edge leads nearer to the goal than the front. Other edges are not tight: last column.
        slots = np.minimum(places.T, front.end)
        slots += shifts
        met = front.met.take(slots)
        best = (met | policies).min(axis=0)
        search.note(states, best, front.steps + 1)
        best &= -search.keys.one
        best += search.own_keys(states)
        np.minimum(met, best, out=ahead[:, begin - front.end : stop - front.end])
    return _Front(front.steps + 1, front.end, end, ahead)


def _walk(search: _Search, front: _Front) -> _Front:
    """Advance state by state while levels are narrow, without the overhead of array operations."""
    clear, (steps, begin, end, _) = -search.keys.one, front
    rows, level, noted = front.met[:, :-1].T.tolist(), [], []
    for own, behind, nexts in _stretches(search, end):
        if behind >= end:
            steps, begin, end, rows, level = steps + 1, end, end + len(level), level, []
            if len(rows) >= NARROW:
                break
        met = [rows[t - begin][n] if t < end else NEVER for n, t in enumerate(nexts)]
        best = min([key | n for n, key in enumerate(met)])
        noted.append((best, steps + 1))
        own += best & clear
        level.append([min(key, own) for key in met])
    else:
        steps, begin, end, rows = steps + 1, end, end + len(level), level
    search.note(search.order[front.end : end], *np.array(noted).T)
    nothing = [NEVER] * len(rows[0])
    return _Front(steps, begin, end, np.array([*rows, nothing]).T.copy())


def _stretches(search: _Search, begin: int) -> Iterator[tuple[int, int, list[int]]]:
    """Yield the key, parent's place and next places of each state of the order from `begin`."""
    length = 64
    while begin < len(search.order):
        states, places = search.look_at(begin, begin + length)
        parents = search.place.take(search.parent.take(states))
        own = search.own_keys(states)
        yield from zip(own.tolist(), parents.tolist(), places.tolist(), strict=True)
        # Start short, since the next level may be wide.
        begin, length = begin + length, min(2 * length, 4096)


def decoded(
    best: Int[np.ndarray, " S"], steps: Int[np.ndarray, " S"], *, keys: Keys, goal: int
) -> Cuts:
    """Return the legs that the states' best keys encode; `best` is overwritten, to save memory."""
    policy, subgoal = np.empty((2, len(best)), np.int32)
    np.bitwise_and(best, (1 << keys.policy_bits) - 1, out=policy, casting="unsafe")
    best >>= keys.policy_bits
    np.bitwise_and(best, (1 << keys.state_bits) - 1, out=subgoal, casting="unsafe")
    lost = steps == NOTHING
    policy[lost] = subgoal[lost] = policy[goal] = NOTHING
    return Cuts(policy, subgoal, steps)
