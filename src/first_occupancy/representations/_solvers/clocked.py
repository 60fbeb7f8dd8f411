"""Distributions of arrival times, one unit of time after the other: loops compiled by Numba.

Values of the last few units of time are rows of a ring: time t is in row `t % len(ring)`.
"""

from first_occupancy.core.compiled import compiled


@compiled
def arrived_by(starts, ends, chances, delays, states, ring, begin, stop):
    """Fill in, for each time from `begin` to `stop`, the probability of having arrived by then.

    Args:
        starts: where the moves of each row begin, and the end of the last.
        ends: state that each move leads to.
        chances: its probability.
        delays: its duration, in units.
        states: state of each row.
        ring: probabilities at earlier times, a row for each; columns of targets are 1 throughout.
        begin: first time to fill in.
        stop: the time after the last.
    """
    length = len(ring)
    for time in range(begin, stop):
        for row in range(len(states)):
            total = 0.0
            for move in range(starts[row], starts[row + 1]):
                back = time - delays[move]
                if back >= 0:
                    total += chances[move] * ring[back % length, ends[move]]
            ring[time % length, states[row]] = total


@compiled
def carried(starts, ends, chances, delays, rows, is_target, ring, begin, arrived):
    """Carry probability forward in time, and note what arrives at each time from `begin` on.

    Args:
        starts: where the moves of each row begin, and the end of the last.
        ends: state that each move leads to.
        chances: its probability.
        delays: its duration, in units.
        rows: the row that each state moves by, -1 if it does not move; the last of several for the
            times after them.
        is_target: whether each state is a target.
        ring: probability that arrives in each state at each time.
        begin: first time.
        arrived: filled in with the probability that arrives at each time.
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
