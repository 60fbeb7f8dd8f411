"""Loops over the stacked moves of all base policies: row n * S + s is policy n in state s."""

import numpy as np
from jaxtyping import Float, Int, Integer

from first_occupancy.core.compiled import compiled

LEFT, UNSEEN = -3, -2
"""Marks of states that have left the heap, and of those that no search has come to yet."""


@compiled
def luckiest_paths(
    starts: Integer[np.ndarray, " S1"],
    states: Integer[np.ndarray, " E"],
    policies: Integer[np.ndarray, " E"],
    lengths: Float[np.ndarray, " E"],
    step: float,
    goals: Int[np.ndarray, " G"],
) -> tuple[Int[np.ndarray, " S"], Float[np.ndarray, " S"], Int[np.ndarray, " R"], int]:
    """Return shortest paths to goals, by Dijkstra's search over `Moves.arriving`.

    The `step` is added to each length to find the path of fewest moves among equals. The four
    results: the policy that begins each path, or -1; minus the path's length, without the steps;
    the states that have a path, without the goals, nearest first; and the most moves of a path.
    """
    size = len(starts) - 1
    hops = np.zeros(size, np.int32)
    time, logs = np.full(size, np.inf), np.full(size, -np.inf)
    choice, place = np.full(size, -1, np.int32), np.full(size, UNSEEN, np.int32)
    order, heap, keys = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
    count = done = 0
    for goal in goals:
        time[goal] = logs[goal] = keys[count] = 0.0
        heap[count], place[goal] = goal, count
        count += 1
    while count > 0:
        top = heap[0]
        count -= 1
        last, key, hole = heap[count], keys[count], 0
        while 2 * hole + 1 < count:
            child = 2 * hole + 1
            if child + 1 < count and keys[child + 1] < keys[child]:
                child += 1
            if keys[child] >= key:
                break
            heap[hole], keys[hole] = heap[child], keys[child]
            place[heap[hole]] = hole
            hole = child
        heap[hole], keys[hole] = last, key
        place[last], place[top] = hole, LEFT
        order[done] = top
        done += 1
        for entry in range(starts[top], starts[top + 1]):
            state, key = states[entry], time[top] + lengths[entry] + step
            if not key < time[state]:
                continue
            if place[state] == UNSEEN:
                place[state] = count
                count += 1
            time[state], logs[state] = key, logs[top] - lengths[entry]
            choice[state], hops[state], hole = policies[entry], hops[top] + 1, place[state]
            while hole > 0 and keys[(hole - 1) // 2] > key:
                heap[hole], keys[hole] = heap[(hole - 1) // 2], keys[(hole - 1) // 2]
                place[heap[hole]] = hole
                hole = (hole - 1) // 2
            heap[hole], keys[hole] = state, key
            place[state] = hole
    return choice, logs, order[len(goals) : done], hops.max()


@compiled
def in_order(
    starts: Integer[np.ndarray, " R1"],
    ends: Integer[np.ndarray, " E"],
    weights: Float[np.ndarray, " E"],
    order: Int[np.ndarray, " K"],
    goals: Int[np.ndarray, " G"],
    size: int,
) -> tuple[Integer[np.ndarray, " Q1"], Integer[np.ndarray, " F"], Float[np.ndarray, " F"]]:
    """Return rows with their states renumbered, so that sweeps read them one after the other.

    Row k * N + n is policy n in the k-th state of the order. All goals are column K; other states
    that are not in the order are left out.
    """
    count, policies = len(order), (len(starts) - 1) // size
    place = np.full(size, -1, np.int32)
    for number, state in enumerate(order):
        place[state] = number
    for goal in goals:
        place[goal] = count
    begins = np.empty(count * policies + 1, starts.dtype)
    columns, numbers = np.empty(len(ends), np.uint32), np.empty(len(ends), np.float64)
    begins[0] = done = 0
    for number, state in enumerate(order):
        for policy in range(policies):
            row = policy * size + state
            for entry in range(starts[row], starts[row + 1]):
                if place[ends[entry]] >= 0:
                    columns[done], numbers[done] = place[ends[entry]], weights[entry]
                    done += 1
            begins[number * policies + policy + 1] = done
    return begins, columns[:done], numbers[:done]


@compiled
def improve(
    starts: Integer[np.ndarray, " Q1"],
    ends: Integer[np.ndarray, " F"],
    weights: Float[np.ndarray, " F"],
    order: Integer[np.ndarray, " K"],
    choice: Int[np.ndarray, " S"],
    values: Float[np.ndarray, " S1"],
    noise: float,
    sweeps: int,
    enough: float,
) -> tuple[int, float]:
    """Improve a choice in every state, in place, then sweep values with it and extrapolate.

    Row s * N + n is policy n in state s. No sweeps follow a gain of `enough` or less, nor, if that
    is below 0, an improvement that changes nothing. The result is in how many states the choice has
    changed, and the largest gain of a state.
    """
    changed, gain, policies = 0, 0.0, (len(starts) - 1) // len(choice)
    change = np.zeros(len(values))
    for state in order:
        best, most, own = choice[state], 0.0, 0.0
        for policy in range(policies):
            row, total = state * policies + policy, 0.0
            for entry in range(starts[row], starts[row + 1]):
                total += weights[entry] * values[ends[entry]]
            if policy == choice[state]:
                own = total
            if total > most:
                best, most = policy, total
        gain = max(gain, most - values[state])
        # What seems better by rounding alone may lead round in a circle.
        if most > (1 + noise) * own:
            choice[state] = best
            own = most
            changed += 1
        change[state] = max(own - values[state], 0.0)
        values[state] += change[state]
    if gain <= enough or (enough < 0 and not changed):
        return changed, gain
    begins, columns, numbers = _chosen(starts, ends, weights, order, choice)
    low = 1.0
    for _ in range(sweeps):
        low = 1.0
        for number, state in enumerate(order):
            total = 0.0
            for entry in range(begins[number], begins[number + 1]):
                total += numbers[entry] * change[columns[entry]]
            if total < low * change[state]:
                low = total / change[state]
            change[state] = total
            values[state] += total
    low *= 1 - noise
    for state in order:
        values[state] = min(values[state] + low / (1 - low) * change[state], 1.0)
    return changed, gain


@compiled
def _chosen(starts, ends, weights, order, choice):
    """Return the rows of a choice next to each other, since reading few of all rows is slow."""
    policies, count = (len(starts) - 1) // len(choice), 0
    for state in order:
        row = state * policies + choice[state]
        count += np.int64(starts[row + 1]) - np.int64(starts[row])
    begins = np.empty(len(order) + 1, starts.dtype)
    columns, numbers = np.empty(count, ends.dtype), np.empty(count)
    begins[0] = done = 0
    for number, state in enumerate(order):
        row = state * policies + choice[state]
        for entry in range(starts[row], starts[row + 1]):
            columns[done], numbers[done] = ends[entry], weights[entry]
            done += 1
        begins[number + 1] = done
    return begins, columns, numbers


@compiled
def changes(
    starts: Integer[np.ndarray, " R1"],
    ends: Integer[np.ndarray, " E"],
    weights: Float[np.ndarray, " E"],
    losses: Float[np.ndarray, " R"],
    values: Float[np.ndarray, " S"],
    gained: Float[np.ndarray, " R"],
    noise: float,
) -> tuple[Float[np.ndarray, " R"], Float[np.ndarray, " R"]]:
    """Return by how much each row changes the value of its state, and the rounding error."""
    size = len(values)
    found, errors = np.empty(len(losses)), np.empty(len(losses))
    for row in range(len(losses)):
        own, total, absolute = values[row % size], 0.0, 0.0
        for entry in range(starts[row], starts[row + 1]):
            part = weights[entry] * (values[ends[entry]] - own)
            total += part
            absolute += abs(part)
        found[row] = total - losses[row] * own + gained[row]
        errors[row] = noise * (absolute + own + abs(gained[row]))
    return found, errors


@compiled
def likely_legs(
    starts: Integer[np.ndarray, " R1"],
    ends: Integer[np.ndarray, " E"],
    weights: Float[np.ndarray, " E"],
    choice: Int[np.ndarray, " S"],
    goals: Int[np.ndarray, " G"],
) -> Int[np.ndarray, " S"]:
    """Return where legs of most likely moves end; of equally likely states the first."""
    size = len(choice)
    legs, path = np.full(size, UNSEEN, np.int32), np.empty(size, np.int32)
    for first in range(size):
        top, state = 0, first
        while legs[state] == UNSEEN:
            # Who comes back to a state of the path has no leg.
            legs[state], path[top] = -1, state
            top += 1
            most, step, row = 0.0, -1, choice[state] * size + state
            if choice[state] >= 0:
                for entry in range(starts[row], starts[row + 1]):
                    if weights[entry] > most:
                        most, step = weights[entry], np.int64(ends[entry])
            if step < 0 or choice[step] != choice[state]:
                legs[state] = step
                break
            state = step
        for place in range(top):
            legs[path[place]] = legs[state]
    for goal in goals:
        legs[goal] = goal
    return legs
