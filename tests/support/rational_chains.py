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


def arrival(rows, goals, factor=Fraction(1)):
    """Return the smallest non-negative solution of v = factor * P v, v = 1 on the goals."""
    size, goals = len(rows), {int(goal) for goal in goals}
    reach, grew = set(goals), True
    while grew:
        new = {s for s in range(size) if any(rows[s][t] for t in reach)} - reach
        reach, grew = reach | new, bool(new)
    inner = sorted(reach - goals)
    system = [
        [(s == t) - factor * rows[s][t] for t in inner] + [factor * sum(rows[s][g] for g in goals)]
        for s in inner
    ]
    for i in range(len(inner)):
        pivot = next(r for r in range(i, len(inner)) if system[r][i])
        system[i], system[pivot] = system[pivot], system[i]
        for r in range(len(inner)):
            if r != i and system[r][i]:
                ratio = system[r][i] / system[i][i]
                system[r] = [a - ratio * b for a, b in zip(system[r], system[i], strict=True)]
    values = [Fraction(int(s in goals)) for s in range(size)]
    for i, s in enumerate(inner):
        values[s] = system[i][-1] / system[i][i]
    return values
