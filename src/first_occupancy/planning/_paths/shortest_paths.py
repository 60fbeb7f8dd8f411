r"""Shortest paths to one goal, and how to cut them into the fewest legs.

A leg follows one policy n along the edges s -> by_state[s, n]. A breadth-first search
backwards from the goal gives the number of steps d; an edge is *tight* if it leads from d to
d - 1. Legs of a shortest path use tight edges only. With L(s) legs still to go from s,

$$L(s) = 1 + \min_n\, \min\{L(s') : s' \text{ along n's tight path from } s\},
  \qquad L(goal) = 0,$$

and the inner minimum runs along the path: $m_n(s) = \min(L(t), m_n(t))$ for the tight edge
s -> t of policy n. So one pass in the order of the search settles each state's legs, its
policy and its subgoal, in time proportional to the number of edges.

Ties go as in `frp.plan_to_goal`: the first subgoal, then the first policy that leads there.
Comparing (legs, subgoal, policy) packed into one integer does that by itself.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import ArrayLike, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from first_occupancy.planning.plans import NOTHING

NARROW = 8
"""States at one distance below which a plain loop beats array operations: corridors."""

CHUNK = 16384
"""Edges taken at once, few enough that all they touch stays in the cache."""

NEVER = np.iinfo(np.int64).max
"""The key of a path that meets no subgoal."""


class Cuts(NamedTuple):
    """The first leg from each state, and its steps to the goal; -1 where none leads there."""

    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    steps: Int[np.ndarray, " S"]


class Keys(NamedTuple):
    """How a number of legs or steps, a subgoal and a policy are one integer, to sort by in turn."""

    state_bits: int
    policy_bits: int

    @property
    def one(self) -> int:
        """What a leg or a step more adds to a key."""
        return 1 << (self.state_bits + self.policy_bits)


def packing(num_states: int, num_policies: int) -> Keys:
    """Return keys in which there is room for all of them."""
    return Keys((num_states - 1).bit_length(), (num_policies - 1).bit_length())


class _Front(NamedTuple):
    """The states `steps` from the goal: where they stand, and the best key on each policy's path.

    The last column is for paths that leave the shortest ways; they meet nothing.
    """

    steps: int
    begin: int
    end: int
    met: Int[np.ndarray, "N width+1"]


class _Search(NamedTuple):
    """The graph, the order in which breadth-first search met the states, and what is known of them.

    `place[s]` is where s stands in the order, and behind its end before s has been looked at;
    `best[s]` is its best key and `steps[s]` its distance. These are filled in as the front
    moves on, while what is around it is in the cache; later it would take far longer.
    """

    by_state: Int[np.ndarray, "S N"]
    order: Int[np.ndarray, " R"]
    parent: Int[np.ndarray, " S"]
    keys: Keys
    place: Int[np.ndarray, " S"]
    best: Int[np.ndarray, " S"]
    steps: Int[np.ndarray, " S"]

    def level_after(self, front: _Front) -> int:
        """Return where the next level ends: parents stand in order, as breadth-first goes."""
        behind = lambda state: self.place[self.parent[state]]  # noqa: E731 (a method is slower)
        end, size = front.end, len(self.order)
        # Levels grow slowly as a rule, so look nearby first.
        nearby = end + 2 * (end - front.begin) + NARROW
        if nearby >= size or behind(self.order[nearby - 1]) < end:
            nearby = size
        return bisect_left(self.order, end, lo=end, hi=nearby, key=behind)

    def look_at(self, begin: int, end: int) -> tuple[Int[np.ndarray, " W"], Int[np.ndarray, "W N"]]:
        """Return a stretch of the order, now in its place, and the places the policies lead to."""
        states = self.order[begin:end].astype(np.intp)
        self.place[states] = np.arange(begin, begin + len(states), dtype=np.int32)
        return states, self.place.take(self.by_state.take(states, axis=0))

    def own_keys(self, states: Int[np.ndarray, " W"]) -> Int[np.ndarray, " W"]:
        """Return the states' keys, were each one leg from the goal."""
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
    # Where each policy's row begins, were it laid out by places instead of from 0.
    shifts = policies * width - front.begin
    ahead = np.empty((count, end - front.end + 1), np.int64)
    ahead[:, -1] = NEVER
    stride = max(1, CHUNK // count)
    for begin in range(front.end, end, stride):
        stop = min(begin + stride, end)
        states, places = search.look_at(begin, stop)
        # No edge leads nearer than to the front; those that lead elsewhere are not tight.
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
    """Advance state by state while levels are narrow: the same, without arrays' overhead."""
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
    """Yield a state's key, its parent's place and where it leads, for each from `begin` on."""
    length = 64
    while begin < len(search.order):
        states, places = search.look_at(begin, begin + length)
        parents = search.place.take(search.parent.take(states))
        own = search.own_keys(states)
        yield from zip(own.tolist(), parents.tolist(), places.tolist(), strict=True)
        # Longer and longer, but not at once: the next level may be wide.
        begin, length = begin + length, min(2 * length, 4096)


def decoded(
    best: Int[np.ndarray, " S"], steps: Int[np.ndarray, " S"], *, keys: Keys, goal: int
) -> Cuts:
    """Return what the states' best keys say; they are used up meanwhile, to save memory."""
    policy, subgoal = np.empty((2, len(best)), np.int32)
    np.bitwise_and(best, (1 << keys.policy_bits) - 1, out=policy, casting="unsafe")
    best >>= keys.policy_bits
    np.bitwise_and(best, (1 << keys.state_bits) - 1, out=subgoal, casting="unsafe")
    lost = steps == NOTHING
    policy[lost] = subgoal[lost] = policy[goal] = NOTHING
    return Cuts(policy, subgoal, steps)
