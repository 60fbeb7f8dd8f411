"""Backward induction for deadlines: one unit of time left after the other, compiled by Numba.

A state's value, the largest probability of arriving in the time left, is computed again only where
that of a state that its moves lead to has changed: states are marked by those after them. Before
the goal can be reached nothing changes, and long before a late deadline most values have settled.
"""

from first_occupancy.core.compiled import compiled

SURER = 1e-13
"""Relative gains below this are rounding: they change no choice."""


@compiled
def induced(
    starts, ends, chances, delays, before_starts, before, ring, due, choice, begin, stop,
    changed_states, changed_choices, changed_times,
):  # fmt: skip
    """Fill in values and choices for each time left from `begin` on, and note where choices change.

    Args:
        starts: where the moves of each row begin, row s * N + n for policy n in state s.
        ends: state that each move leads to, unsigned: signed ones might count from the end.
        chances: its probability.
        delays: its duration, in units.
        before_starts: where the states before each state begin, in `before`.
        before: states from which some move leads to each state, goals and avoided ones left out.
        ring: values at earlier times, a row for each: time t is in row t % len(ring).
        due: last time at which the value of each state has to be computed.
        choice: policy followed at the time before; -1 for none.
        begin: first time to fill in.
        stop: the time after the last.
        changed_states: filled in with the states whose choice changes, one after the other.
        changed_choices: what it changes to.
        changed_times: from which time left on.

    Returns:
        How many changes there are, and the first time that was not filled in: the end, when nothing
        changes any more, or when there may be no room for further changes.
    """
    length, size = len(ring), len(choice)
    policies, count, time = (len(starts) - 1) // size, 0, begin
    longest, latest = length - 1, 0
    for state in range(size):
        latest = max(latest, due[state])
    while time < stop and count + size <= len(changed_states) and latest >= time:
        now, last = time % length, (time - 1) % length
        before_now = ring[last]
        for state in range(size):
            if due[state] < time:
                ring[now, state] = ring[last, state]
                continue
            best, best_policy, kept = 0.0, -1, 0.0
            for policy in range(policies):
                row, total = policies * state + policy, 0.0
                if longest == 1:
                    for move in range(starts[row], starts[row + 1]):
                        total += chances[move] * before_now[ends[move]]
                else:
                    for move in range(starts[row], starts[row + 1]):
                        back = time - delays[move]
                        if back >= 0:
                            total += chances[move] * ring[back % length, ends[move]]
                if total > best:
                    best, best_policy = total, policy
                if policy == choice[state]:
                    kept = total
            if best > kept * (1.0 + SURER):
                choice[state] = best_policy
                changed_states[count], changed_choices[count] = state, best_policy
                changed_times[count] = time
                count += 1
            best = max(best, ring[last, state])
            ring[now, state] = best
            if best > ring[last, state]:
                later = time + longest
                latest = max(latest, later)
                for place in range(before_starts[state], before_starts[state + 1]):
                    due[before[place]] = later
        time += 1
    return count, time
