r"""Repairing shortest paths, and the legs they are cut into, after some moves have changed.

What a plan to a set of goals knows of a state s depends on the states t ahead of it:

$$c(s) = \min_n\, [w_n(s) + c(t)], \qquad b(s) = \min_n\, [m_n(s) \mid n], \qquad
  m_n(s) = \min(o(t), m_n(t)) \text{ where } w_n(s) + c(t) = c(s),$$

with c the cost, $w_n$ the time of policy n's move to t, and keys that pack legs, subgoal and policy
into one number: b is the best one, $m_n$ the best along policy n's path, and o(t)
that of a path that ends in t with one leg more than b(t). Since t is always nearer to the goal,
all of them are repaired in the order of the costs:

1. States whose cost no move supports any longer lose it, and so may the states behind them
   (Ramalingam and Reps 1996, as in the first half of LPA*).
2. A search from the states ahead of them, and from the moves that have become shorter, gives states
   their new costs; keys are computed again on the way, and where one has not changed, the states
   behind it are left alone.

The equations have one solution, so costs and keys are those of a new search, ties included. A new
search is the repair of a plan that only knows its goals.
"""

from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.compiled import compiled, inlined

NEVER = np.iinfo(np.int64).max
"""The key of a path that reaches no subgoal."""

TOUCHED, STALE, WAITING = 1, 2, 4
"""Flags of a state: its old numbers are noted; its key has to be computed again; it waits to
lose its cost, or for the key of a lower one."""


class Edges(NamedTuple):
    """Where deterministic policies lead; edge s * N + n is policy n's move from s.

    Attributes:
        ends: state that each policy leads to; the state itself where it stays.
        times: how long each edge takes, above 0; one number if all take equally long.
        head: first of the edges into each state, -1 for none; stays are left out.
        after: the next edge into the same state, -1 for none.
        before: the one before.
    """

    ends: Int[np.ndarray, "S N"]
    times: Float[np.ndarray, " E"]
    head: Int[np.ndarray, " S"]
    after: Int[np.ndarray, " E"]
    before: Int[np.ndarray, " E"]


class Known(NamedTuple):
    """What is known of every state: its cost, its best key, and those along each policy."""

    cost: Float[np.ndarray, " S"]
    best: Int[np.ndarray, " S"]
    along: Int[np.ndarray, "S N"]


def linked(ends: Int[np.ndarray, "S N"], times: Float[np.ndarray, " E"]) -> Edges:
    """Return edges, with those into each state listed."""
    size, count = ends.shape
    head, (after, before) = np.full(size, -1, np.int32), np.empty((2, size * count), np.int32)
    edges = Edges(ends, times, head, after, before)
    _link(edges)
    return edges


@compiled
def _link(edges: Edges) -> None:
    size, count = edges.ends.shape
    for state in range(size - 1, -1, -1):
        for policy in range(count):
            if edges.ends[state, policy] != state:
                _insert(edges, state * count + policy, edges.ends[state, policy])


@compiled
def _insert(edges: Edges, edge: int, end: int) -> None:
    follower = edges.head[end]
    edges.after[edge], edges.before[edge], edges.head[end] = follower, -1, edge
    if follower >= 0:
        edges.before[follower] = edge


@compiled
def _remove(edges: Edges, edge: int, end: int) -> None:
    previous, follower = edges.before[edge], edges.after[edge]
    if previous >= 0:
        edges.after[previous] = follower
    else:
        edges.head[end] = follower
    if follower >= 0:
        edges.before[follower] = previous


@compiled
def redirect(edges: Edges, states: Int[np.ndarray, " K"], rows: Int[np.ndarray, "K N"]) -> None:
    """Let the policies lead elsewhere from some states, in place."""
    count = edges.ends.shape[1]
    for place in range(len(states)):
        state = states[place]
        for policy in range(count):
            old, new = edges.ends[state, policy], rows[place, policy]
            if old == new:
                continue
            if old != state:
                _remove(edges, state * count + policy, old)
            if new != state:
                _insert(edges, state * count + policy, new)
            edges.ends[state, policy] = new


@compiled
def repair(
    edges: Edges,
    known: Known,
    seeds: Int[np.ndarray, " K"],
    bits: tuple[int, int],
    noting: bool = True,
) -> Any:
    """Repair what is known after the moves from some states have changed, in place.

    Args:
        seeds: those states; for a new search the goals.
        bits: bits of a key for the policy, and for policy and subgoal together.
        noting: whether old numbers are wanted; those of a new search are not worth the memory.

    Returns:
        The states whose cost or best key has changed, and their old costs and keys.
    """
    size = len(known.cost)
    flags = np.full(size, 0 if noting else TOUCHED, np.uint8)
    notes = (
        np.empty(size, np.int32),
        np.empty(size),
        np.empty(size, np.int64),
        np.zeros(1, np.int64),
    )
    # Costs in the line never fall, so a state waits there once.
    line = np.empty(size if len(edges.times) == 1 else 0, np.int32)
    queue = [(np.inf, np.int64(0))]
    stale = _raise(edges, known, seeds, flags, notes, line, queue)
    _reconsider(edges, known, stale, flags, notes, queue)
    states, costs, keys, count = notes
    _reconsider(edges, known, states[: count[0]], flags, notes, queue)
    _settle(edges, known, bits, flags, notes, line, queue)
    for state in states[: count[0]]:
        if known.cost[state] == np.inf:
            known.best[state] = NEVER
            known.along[state] = NEVER
    return states[: count[0]].copy(), costs[: count[0]].copy(), keys[: count[0]].copy()


@inlined
def _note(notes, known, state):
    """Note the old cost and key of a state."""
    states, costs, keys, count = notes
    place = count[0]
    states[place], costs[place], keys[place] = state, known.cost[state], known.best[state]
    count[0] = place + 1


@inlined
def _time(ends, times, state, policy):
    """Return how long a policy's move from a state takes."""
    return times[state * ends.shape[1] + policy if len(times) > 1 else 0]


@inlined
def _wait(times, line, filled, queue, cost, state):
    """Let a state wait; where all moves take equally long, those behind others come in order."""
    if len(times) == 1:
        line[filled] = state
        filled += 1
    else:
        heappush(queue, (cost, np.int64(state)))
    return filled


@inlined
def _next(line, cost, at, filled, queue):
    """Return the nearest state that waits, with its cost, and how many have left the line."""
    if at < filled and cost[line[at]] <= queue[0][0]:
        now, state, left = cost[line[at]], np.int64(line[at]), at + 1
    else:
        now, state = heappop(queue)
        left = at
    return now, state, left


@compiled
def _raise(edges, known, seeds, flags, notes, line, queue):
    """Take the cost from states that nothing supports; return those that may need new keys."""
    ends, times, head, after, _ = edges
    cost, count = known.cost, ends.shape[1]
    stale, at, filled = [np.int64(0) for _ in range(0)], 0, 0
    for seed in seeds:
        stale.append(np.int64(seed))
        if 0 < cost[seed] < np.inf:
            heappush(queue, (cost[seed], np.int64(seed)))
            flags[seed] |= WAITING
    while at < filled or len(queue) > 1:
        was, state, at = _next(line, cost, at, filled, queue)
        if cost[state] != was:
            continue
        flags[state] &= TOUCHED
        if _is_supported(ends, times, cost, state):
            stale.append(state)
            continue
        _note(notes, known, state)
        flags[state], cost[state] = TOUCHED, np.inf
        edge = head[state]
        while edge >= 0:
            origin = np.int64(edge // count)
            then = _time(ends, times, origin, edge % count) + was
            if then == cost[origin] and then > was and not flags[origin] & WAITING:
                flags[origin] |= WAITING
                filled = _wait(times, line, filled, queue, then, origin)
            edge = after[edge]
    return stale


@inlined
def _is_supported(ends, times, cost, state):
    """Return whether some move from a state to one nearer to the goal takes what it costs."""
    supported = False
    for policy in range(ends.shape[1]):
        ahead = cost[ends[state, policy]]
        nearer = ahead < cost[state]
        supported |= nearer and _time(ends, times, state, policy) + ahead == cost[state]
    return supported


@compiled
def _reconsider(edges, known, again, flags, notes, queue):
    """Let states wait for a lower cost, or for a new key."""
    ends, times, cost = edges.ends, edges.times, known.cost
    for place in range(len(again)):
        state, least = np.int64(again[place]), np.inf
        for policy in range(ends.shape[1]):
            end = ends[state, policy]
            if end != state and not flags[end] & WAITING:  # those that wait tell later
                least = min(least, _time(ends, times, state, policy) + cost[end])
        if least < cost[state]:
            if not flags[state] & TOUCHED:
                _note(notes, known, state)
            flags[state], cost[state] = TOUCHED | WAITING, least
            heappush(queue, (least, state))
        elif cost[state] < np.inf and not flags[state] & STALE:
            flags[state] |= STALE
            heappush(queue, (cost[state], state))


@compiled
def _settle(edges, known, bits, flags, notes, line, queue):
    """Give the states that wait, and those behind them, their costs and keys."""
    ends, times, head, after, _ = edges
    cost, best, along = known
    at, filled, count = 0, 0, ends.shape[1]
    while at < filled or len(queue) > 1:
        now, state, at = _next(line, cost, at, filled, queue)
        if now > cost[state] or not flags[state] & (STALE | WAITING):
            continue
        flags[state] &= TOUCHED
        key = _cut(ends, times, cost, best, along, state, now, bits) if now > 0 else best[state]
        if key != best[state] and not flags[state]:
            flags[state] = TOUCHED
            _note(notes, known, state)
        best[state] = key
        own = _one_leg_more(state, now, key, bits)
        edge = head[state]
        while edge >= 0:
            origin, policy = np.int64(edge // count), edge % count
            then = _time(ends, times, origin, policy) + now
            edge = after[edge]
            if then > cost[origin] or cost[origin] == 0:
                continue
            if then == cost[origin]:
                if flags[origin] & WAITING:
                    continue
                ahead = min(own, along[state, policy])
                if then == now or flags[origin] & STALE or along[origin, policy] == ahead:
                    continue
                flags[origin] |= STALE
            else:
                if not flags[origin] & TOUCHED:
                    _note(notes, known, origin)
                flags[origin], cost[origin] = TOUCHED | WAITING, then
            filled = _wait(times, line, filled, queue, then, origin)


@inlined
def _cut(ends, times, cost, best, along, state, now, bits):
    """Return the best key of a state that costs so much, and note those along each policy."""
    least = NEVER
    for policy in range(ends.shape[1]):
        end, key = ends[state, policy], NEVER
        if cost[end] < now and _time(ends, times, state, policy) + cost[end] == now:
            key = min(_one_leg_more(end, cost[end], best[end], bits), along[end, policy])
        along[state, policy] = key
        least = min(least, key | policy)
    return least


@inlined
def _one_leg_more(state, cost, key, bits):
    """Return the key of a leg that ends in a state; goals end a plan."""
    one = np.int64(1) << bits[1]
    return (np.int64(state) << bits[0]) + one + (key & -one) if cost > 0 else key
