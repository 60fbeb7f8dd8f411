r"""Loops of path planning, compiled.

A leg follows one policy n along the edges s -> by_state[s, n]. With c(s) the time that is left to
the goals, an edge is *tight* if it takes exactly c(s) - c(t). Legs of a shortest path use tight
edges only. With L(s) legs still to go from s,

$$L(s) = 1 + \min_n\, \min\{L(s') : s' \text{ along n's tight path from } s\},
  \qquad L(goal) = 0,$$

and the inner minimum is computed along the path: $m_n(s) = \min(L(t), m_n(t))$ for the tight edge
s -> t of policy n. So one pass in the order of c determines policies and subgoals.

With at most K switches, sweep k of FRP (Alg. 1) gives every state its best leg to a state whose
time with k - 1 switches is known: the least of $d_1 + \dots + d_j + c(s_j)$, $j \ge 1$, along the
path of each policy, again by one pass over each path.

Ties go to the fewest legs, then to the first subgoal, then to the first policy that leads there.
"""

import numpy as np
from jaxtyping import Float, Int, Real

from first_occupancy.core.compiled import compiled

NEVER = np.iinfo(np.int64).max
"""The key of a path that reaches no subgoal."""


@compiled
def reversed_edges(
    by_state: Int[np.ndarray, "S N"],
) -> tuple[Int[np.ndarray, " B"], Int[np.ndarray, " E"]]:
    """Return where the states that lead to each state begin in a list, and the list."""
    size, count = by_state.shape
    starts = np.zeros(size + 1, np.int64)
    for state in range(size):
        for policy in range(count):
            if by_state[state, policy] != state:
                starts[by_state[state, policy] + 1] += 1
    for state in range(size):
        starts[state + 1] += starts[state]
    behind, places = np.empty(starts[size], np.int32), starts.copy()
    for state in range(size):
        for policy in range(count):
            ahead = by_state[state, policy]
            if ahead != state:
                behind[places[ahead]] = state
                places[ahead] += 1
    return starts, behind


@compiled
def shortest_paths(
    starts: Int[np.ndarray, " B"],
    behind: Int[np.ndarray, " E"],
    by_state: Int[np.ndarray, "S N"],
    durations: Float[np.ndarray, "_ _"],
    goals: Int[np.ndarray, " G"],
) -> tuple[Int[np.ndarray, " S"], Int[np.ndarray, " S"], Float[np.ndarray, " S"]]:
    """Return policy, subgoal and time of the shortest paths if each move takes one step."""
    time, order = breadth_first(starts, behind, goals)
    policy, subgoal = cut_into_legs(by_state, durations, time, order, goals)
    return policy, subgoal, time


@compiled
def breadth_first(
    starts: Int[np.ndarray, " B"], behind: Int[np.ndarray, " E"], goals: Int[np.ndarray, " G"]
) -> tuple[Float[np.ndarray, " S"], Int[np.ndarray, " R"]]:
    """Return all steps, infinite for no way, and the states that have one, nearest first."""
    size, reached, place = len(starts) - 1, 0, 0
    order, steps = np.empty(size, np.int32), np.full(size, np.inf)
    for goal in goals:
        order[reached], steps[goal] = goal, 0
        reached += 1
    while place < reached:
        state = order[place]
        place += 1
        ahead = steps[state] + 1
        for edge in range(starts[state], starts[state + 1]):
            if ahead < steps[behind[edge]]:
                steps[behind[edge]] = ahead
                order[reached] = behind[edge]
                reached += 1
    return steps, order[:reached]


@compiled
def cut_into_legs(
    by_state: Int[np.ndarray, "S N"],
    durations: Float[np.ndarray, "_ _"],
    left: Float[np.ndarray, " S"],
    order: Int[np.ndarray, " R"],
    goals: Int[np.ndarray, " G"],
) -> tuple[Int[np.ndarray, " S"], Int[np.ndarray, " S"]]:
    """Return the policy and the subgoal of each state on the shortest paths of the fewest legs.

    Args:
        durations: how long each move takes; a single 1 if that is so for all.
        left: time that is left from each state.
        order: states from which goals are reached, by the time that is left.
    """
    size, count = by_state.shape
    timed, shift = durations.size > 1, 0
    while size >> shift:
        shift += 1
    # Legs and subgoal in one number: the least on the path of each policy, its beginning included.
    keys = np.full((size, count), NEVER)
    policy, subgoal = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    for goal in goals:
        subgoal[goal] = goal
        keys[goal] = goal
    for state in order:
        if left[state] == 0:
            continue
        best, chosen = NEVER, -1
        for number in range(count):
            ahead = by_state[state, number]
            taken = durations[state, number] if timed else 1.0
            if ahead != state and left[ahead] + taken == left[state]:
                key = keys[ahead, number]
                keys[state, number] = key
                if key < best:
                    best, chosen = key, number
        if best != NEVER:
            policy[state], subgoal[state] = chosen, best & ((1 << shift) - 1)
            own = (((best >> shift) + 1) << shift) | state
            for number in range(count):
                keys[state, number] = min(keys[state, number], own)
    return policy, subgoal


@compiled
def cut_with_switches(
    next_states: Int[np.ndarray, "N S"],
    durations: Real[np.ndarray, "N S"],
    goals: Int[np.ndarray, " G"],
    max_switches: int,
) -> tuple[Int[np.ndarray, " S"], Int[np.ndarray, " S"], Float[np.ndarray, " S"]]:
    """Return policy, subgoal and time of the best paths of at most `max_switches` + 1 legs.

    A new leg only helps if it ends in a state that the last sweep brought nearer, so a path is
    looked at again behind such states, as far back as the news makes states nearer.
    """
    count, size = next_states.shape
    policy, subgoal = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    left, is_nearer, has_news = np.full(size, np.inf), np.zeros(size, np.bool_), policy == 0
    for goal in goals:
        left[goal], subgoal[goal], is_nearer[goal] = 0, goal, True
    best, ends = np.empty(size), np.empty(size, np.int32)
    orders, lengths = np.empty((count, 2 * size), np.int32), np.empty(count, np.int64)
    for number in range(count):
        lengths[number] = _from_the_end(next_states[number], orders[number])
    for _ in range(max_switches + 1):
        sooner, is_better = left.copy(), False
        for number in range(count):
            has_news[:] = False
            for state in orders[number, : lengths[number]]:
                end = next_states[number, state]
                if not (is_nearer[end] or has_news[end]):
                    continue
                time = left[end] if is_nearer[end] else np.inf
                if has_news[end] and (best[end] < time or (best[end] == time and ends[end] < end)):
                    time, end = best[end], ends[end]
                time += durations[number, state]
                has_news[state] = time < left[state] or (time == left[state] and end < state)
                best[state], ends[state] = time, end
                if time < sooner[state] or (
                    time == sooner[state] < left[state] and end < subgoal[state]
                ):
                    sooner[state], is_better = time, True
                    policy[state], subgoal[state] = number, end
        if not is_better:
            break
        is_nearer = sooner < left
        left = sooner
    return policy, subgoal, left


@compiled
def _from_the_end(ahead: Int[np.ndarray, " S"], order: Int[np.ndarray, " S2"]) -> int:
    """Put each state behind the one that it leads to, and return how many places that takes.

    States of a circle are listed twice: nothing is known behind the first of them, until one round
    has been made.
    """
    marks, stack = np.zeros(len(ahead), np.int8), np.empty(len(ahead), np.int32)
    count = 0
    for first in range(len(ahead)):
        top, state = 0, first
        while marks[state] == 0:
            marks[state], stack[top] = -1, state
            top, state = top + 1, ahead[state]
        place = top
        while marks[state] < 0:
            place -= 1
            order[count] = stack[place]
            count += 1
            if stack[place] == state:
                break
        while top > 0:
            top -= 1
            order[count], marks[stack[top]] = stack[top], 1
            count += 1
    return count
