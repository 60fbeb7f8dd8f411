"""Exact arrival probabilities of random chains, in rational numbers."""

from fractions import Fraction

import numpy as np


def random_chain(rng, size, *, most=3):
    """Return a chain of rationals with few successors, traps and self-loops among them."""
    rows = [[Fraction(0)] * size for _ in range(size)]
    for row in rows:
        ends = rng.choice(size, min(int(rng.integers(1, most + 1)), size), replace=False)
        weights = rng.integers(1, 9, len(ends))
        for end, weight in zip(ends, weights, strict=True):
            row[end] = Fraction(int(weight), int(weights.sum()))
    return rows


def as_floats(rows, factor=1):
    """Return the chain as an array, each entry multiplied by a factor."""
    return np.array([[float(factor * each) for each in row] for row in rows])


def rarely_left(rows, rng, *, slowest=12):
    """Return the chain with each state left up to 10 to the `slowest` times less often."""
    slower = []
    for state, row in enumerate(rows):
        factor = Fraction(float(10.0 ** -rng.uniform(0, slowest)))
        moving = [Fraction(float(factor * each)) for each in row]
        moving[state] = 0
        moving[state] = 1 - sum(moving)
        slower.append(moving)
    return slower


def arrival(rows, goals, factor=Fraction(1)):
    """Return the smallest non-negative solution of v = factor * P v, v = 1 on the goals."""
    goals = {int(goal) for goal in goals}
    inner = _inner(rows, goals)
    right = [factor * sum(rows[s][g] for g in goals) for s in inner]
    return _spread(rows, goals, inner, _solution(rows, inner, right, factor))


def moments(rows, goals):
    """Return E[T; T finite] and E[T^2; T finite] of the first arrival in the goals."""
    goals = {int(goal) for goal in goals}
    inner, values = _inner(rows, goals), arrival(rows, goals)
    first = _spread(rows, (), inner, _solution(rows, inner, [values[s] for s in inner]))
    ahead = [values[s] + 2 * sum(p * first[t] for t, p in enumerate(rows[s])) for s in inner]
    return first, _spread(rows, (), inner, _solution(rows, inner, ahead))


def _inner(rows, goals):
    """Return the states, but for the goals, from which a path leads to them."""
    reach, grew = set(goals), True
    while grew:
        new = {s for s in range(len(rows)) if s not in reach and any(rows[s][t] for t in reach)}
        reach, grew = reach | new, bool(new)
    return sorted(reach - goals)


def _spread(rows, goals, inner, found):
    values = [Fraction(int(s in goals)) for s in range(len(rows))]
    for s, value in zip(inner, found, strict=True):
        values[s] = value
    return values


def _solution(rows, inner, right, factor=Fraction(1)):
    """Return the solution of x = factor * P x + right over the inner states."""
    system = [
        [(s == t) - factor * rows[s][t] for t in inner] + [each]
        for s, each in zip(inner, right, strict=True)
    ]
    for i in range(len(inner)):
        pivot = next(r for r in range(i, len(inner)) if system[r][i])
        system[i], system[pivot] = system[pivot], system[i]
        for r in range(len(inner)):
            if r != i and system[r][i]:
                ratio = system[r][i] / system[i][i]
                system[r] = [a - ratio * b for a, b in zip(system[r], system[i], strict=True)]
    return [system[i][-1] / system[i][i] for i in range(len(inner))]
