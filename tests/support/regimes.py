"""Chains and discounts from the regimes of the accuracy contract, and their exact solution.

Everything is drawn from a NumPy generator, so a case is named by its seed.

The truth is the chain whose entries off the diagonal are the given floats, and whose diagonal makes
rows sum to 1. Its solution is computed here with 64 bits of mantissa and 15 bits of exponent (the
long double of x86) by a method of its own: each state is reached through the states eliminated
before, in the notation of Kohlas (1986), Section 4. `tests/long` compares it with rationals.
"""

import numpy as np

KINDS = (
    "dense",
    "sparse",
    "near_deterministic",
    "rarely_left",
    "nearly_absorbing",
    "disconnected",
    "periodic",
    "corridor",
)

HIGHEST = {np.dtype("f4"): 4, np.dtype("f8"): 7}
"""Discounts up to 1 - 10^-n."""


def draw_chain(rng, kind, size, dtype):
    """Return a chain of one kind, as floats of a precision."""
    rows = _KINDS[kind](rng, size)
    np.fill_diagonal(rows, 0)
    # Rows of weights may be anything; what leaves a state must stay below 1 when rounded.
    leaving = rows.sum(axis=1, keepdims=True)
    rows = np.where(leaving > 1, rows / np.where(leaving > 1, leaving, 1) * (1 - 2.0**-22), rows)
    rows = rows.astype(dtype)
    rows[rows < 100 * np.finfo(dtype).tiny] = 0  # XLA takes what underflows for 0
    np.fill_diagonal(rows, 0)
    stays = 1 - rows.astype(np.longdouble).sum(axis=1)
    rows[np.arange(size), np.arange(size)] = np.maximum(stays, 0).astype(dtype)
    return rows


def draw_discount(rng, dtype):
    """Return a discount of up to 1 - 1e-7, or .9999 in single precision, rounded to it."""
    highest = HIGHEST[np.dtype(dtype)]
    return float(np.asarray(1 - 10.0 ** -rng.uniform(0.01, highest), dtype))


def visits(chain, discount, number=np.longdouble):
    """Return the SR of the truth, as long doubles or another kind of number, such as `Decimal`."""
    sums = np.array([[number(float(p)) for p in row] for row in chain]) * number(discount)
    size, zero = len(sums), number(0)
    np.fill_diagonal(sums, zero)
    exits = np.full(size, number(1) - number(discount))
    leaving = np.full(size, zero)
    # Forwards: the chain watched only in states not yet eliminated, kept row by row.
    for k in range(size):
        later = slice(k + 1, size)
        leaving[k] = exits[k] + sums[k, later].sum()
        share = sums[later, k] / leaving[k]
        sums[later, later] += share[:, None] * sums[k, later][None]
        exits[later] += share * exits[k]
    # Backwards: visits from a state are its own, and those of the states it leads to.
    found = np.full((size, size), zero)
    for k in reversed(range(size)):
        later = slice(k + 1, size)
        ahead = sums[k, later] / leaving[k]
        found[k, later] = ahead @ found[later, later]
        found[later, k] = found[later, later] @ (sums[later, k] / leaving[k])
        found[k, k] = 1 / leaving[k] + ahead @ found[later, k]
    return found


def sums(moves, exits, right):
    """Return the expected sums of what is gained in each state until the chain ends.

    Args:
        moves: probabilities; the diagonal is not read: a state is left with those of its row.
        exits: probability of ending in each state.
        right: what is gained there in a step.
    """
    moves, exits, right = moves.copy(), exits.copy(), right.copy()
    leaving, found = np.empty_like(exits), np.empty_like(exits)
    for k in range(len(exits)):
        later = slice(k + 1, None)
        leaving[k] = exits[k] + moves[k, later].sum()
        share = moves[later, k] / leaving[k]
        moves[later, later] += share[:, None] * moves[k, later][None]
        exits[later] += share * exits[k]
        right[later] += share * right[k]
    for k in reversed(range(len(exits))):
        found[k] = (right[k] + moves[k, k + 1 :] @ found[k + 1 :]) / leaving[k]
    return found


def relative_error(ours, truth, *, floor=1e6):
    """Return the largest relative error; infinite if a zero is missed.

    Entries below `floor` times the smallest normal number are exempt.
    """
    ours = np.asarray(ours)
    tiny = np.finfo(ours.dtype).tiny * floor
    truth = np.asarray(truth)
    if (ours[truth == 0] != 0).any() or not np.isfinite(ours).all():
        return np.inf
    counted = np.abs(truth) > tiny
    errors = np.abs(ours[counted].astype(truth.dtype) - truth[counted]) / np.abs(truth[counted])
    return float(errors.max(initial=0))


def underflow(discount, dtype):
    """Return the floor for functions that let the paths underflow that contribute to an entry."""
    return 1 / ((1 - discount) * np.finfo(dtype).eps)


def _dense(rng, size):
    return rng.dirichlet(np.full(size, 10.0 ** rng.uniform(-1, 1)), size)


def _sparse(rng, size):
    """One to four successors with weights over many orders of magnitude."""
    rows = np.zeros((size, size))
    for row in rows:
        ends = rng.integers(size, size=rng.integers(1, 5))
        row[ends] = 10.0 ** -rng.uniform(0, rng.choice([1, 6, 30]), len(ends))
    return rows / rows.sum(axis=1, keepdims=True)


def _near_deterministic(rng, size):
    slip = 10.0 ** -rng.uniform(1, 12)
    ahead = np.eye(size)[rng.integers(size, size=size)]
    return (1 - slip) * ahead + slip * _sparse(rng, size)


def _rarely_left(rng, size):
    """Every state is left with its own probability, down to 1e-12."""
    leave = 10.0 ** -rng.uniform(0, 12, (size, 1))
    return leave * _sparse(rng, size)


def _nearly_absorbing(rng, size):
    rows = _sparse(rng, size)
    held = rng.random(size) < 0.3
    rows[held] *= 10.0 ** -rng.uniform(4, 14, (held.sum(), 1))
    return rows


def _disconnected(rng, size):
    """Several parts, some of which lead into others, and absorbing states."""
    parts = rng.integers(0, 4, size)
    rows = _dense(rng, size) * (parts[:, None] <= parts[None] + rng.integers(0, 2))
    rows[rng.random(size) < 0.1] = 0
    return rows


def _periodic(rng, size):
    """Cycles through all states, now and then left for another state."""
    order = rng.permutation(size)
    rows = np.zeros((size, size))
    rows[order, np.roll(order, 1)] = 1
    slip = rng.choice([0, 10.0 ** -rng.uniform(1, 10)])
    return (1 - slip) * rows + slip * _sparse(rng, size)


def _corridor(rng, size):
    """A walk along a line, with a drift."""
    back = rng.choice([0, 0.5, rng.uniform(0, 1), 10.0 ** -rng.uniform(1, 6)])
    return np.diag(np.full(size - 1, 1 - back), 1) + np.diag(np.full(size - 1, back), -1)


_KINDS = {kind: globals()[f"_{kind}"] for kind in KINDS}
