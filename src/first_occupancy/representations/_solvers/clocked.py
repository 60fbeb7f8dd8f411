r"""Arrival in the time that is left, one unit of time after the other: loops compiled by Numba.

Let $V_t(s)$ be the largest probability of arriving within t. It is 1 at the targets, and elsewhere

$$V_t(s) = \max_n \sum_{s'} p_n(s' | s)\, V_{t - d}(s'), \qquad V_t = 0 \;\; (t < 0),$$

with d the duration of the move. A state's value is computed again only where that of a state that
its moves lead to has changed: states are marked by those after them. Before a target can be reached
nothing changes, and long before a late deadline most values have settled.
"""

import numpy as np

from first_occupancy.core.compiled import compiled

SURER = 1e-13
"""Relative gains below this are rounding: they change no choice."""


@compiled
def induced(
    starts, ends, chances, delays, before_starts, before, ring, due, choice, begin, stop,
    changed_states, changed_choices, changed_times,
):  # fmt: skip
    """Fill in values and choices for each time left from `begin` on, and note where choices change.

    Row s * N + n of the moves is policy n in state s. Indices such as `ends` have no sign, which
    makes them faster to read, since none can count from the end. `before` has the states from which
    some move leads to each state, targets left out. Row t % len(ring) of the ring has the values at
    time t. Until its time in `due`, the value of a state has to be computed. `choice` is what was
    followed at the time before; -1 for nothing. States whose choice changes, what it changes to
    and from which time on are noted one after the other.

    Returns:
        How many changes there are, and the first time that was not filled in: the end, when nothing
        changes any more, or when there may be no room for further changes.
    """
    length, size = len(ring), len(choice)
    policies, count, time = (len(starts) - 1) // size, 0, begin
    longest, latest = length - 1, 0
    totals = np.empty(policies)
    for state in range(size):
        latest = max(latest, due[state])
    while time < stop and count + size <= len(changed_states) and latest >= time:
        before_now, now = ring[(time - 1) % length], ring[time % length]
        for state in range(size):
            if due[state] < time:
                now[state] = before_now[state]
                continue
            best, first = 0.0, policies * state
            for policy in range(policies):
                total = 0.0
                if longest == 1:
                    for move in range(starts[first + policy], starts[first + policy + 1]):
                        total += chances[move] * before_now[ends[move]]
                else:
                    for move in range(starts[first + policy], starts[first + policy + 1]):
                        if delays[move] <= time:
                            total += (
                                chances[move] * ring[(time - delays[move]) % length, ends[move]]
                            )
                best, totals[policy] = max(best, total), total
            kept = totals[choice[state]] if choice[state] >= 0 else 0.0
            if best > kept * (1.0 + SURER):
                choice[state] = totals.argmax()
                changed_states[count], changed_choices[count] = state, choice[state]
                changed_times[count] = time
                count += 1
            now[state] = before_now[state]
            if best > before_now[state]:
                now[state] = best
                later = time + longest
                latest = max(latest, later)
                for place in range(before_starts[state], before_starts[state + 1]):
                    due[before[place]] = later
        time += 1
    return count, time


@compiled
def carried(starts, ends, chances, delays, rows, is_target, ring, begin, arrived):
    """Carry probability forward in time, and note what arrives at each time from `begin` on.

    Each state moves by its row in the last of `rows`, or in that for the time if there are several;
    -1 does not move. Row t % len(ring) of the ring has what arrives in each state at time t.
    """
    length = len(ring)
    for step in range(len(arrived)):
        now = (begin + step) % length
        moves_by = rows[min(begin + step, len(rows) - 1)]
        for state in range(len(is_target)):
            mass = ring[now, state]
            if mass == 0.0:
                continue
            ring[now, state] = 0.0
            if is_target[state]:
                arrived[step] += mass
                continue
            row = moves_by[state]
            if row < 0:
                continue
            for move in range(starts[row], starts[row + 1]):
                later = (begin + step + delays[move]) % length
                ring[later, ends[move]] += mass * chances[move]
