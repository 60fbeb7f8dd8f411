"""Random chains and logs in many regimes, and how often intervals hold the truth in them.

Every log is a policy of its own, so one call estimates them all.
"""

import warnings
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.interop.data.corrected_intervals import (
    UntrustedWarning,
    estimate_with_interval,
)
from first_occupancy.interop.data.logs import EmpiricalChains
from first_occupancy.representations import first_occupancy

ENOUGH_EXITS = 5
RARE = (0.005, 0.05)
RARELY_LEFT = {
    "pair": (2, "any"),
    "cycle": (4, "cycle"),
    "line": (5, "line"),
    "two ways": (5, "two"),
    "any way, 3 states": (3, "any"),
    "any way, 5 states": (5, "any"),
    "alike, 3 states": (3, "alike"),
    "alike, 5 states": (5, "alike"),
    "some left often": (4, "any"),
    "12 states": (12, "two"),
}
"""Chains that leave a state with a chance of 0.005 to 0.05: number of states, ways out."""


def draw_logs(name, number, rng):
    """Return chains [N S S], and an `EmpiricalChains` with a log of each."""
    if name in RARELY_LEFT:
        size, ways = RARELY_LEFT[name]
        leaving = rng.uniform(*RARE, (number, size))
        leaving[::2] = np.exp(rng.uniform(*np.log(RARE), leaving[::2].shape))
        if name == "some left often":
            often = rng.random((number, size)) < 0.5
            leaving = np.where(often, rng.uniform(0.2, 0.5, (number, size)), leaving)
        chains = _leave(leaving, _ways(ways, number, size, rng))
        return chains, _record(chains, rng, 20, 200)
    return OTHERS[name](number, rng)


def _ways(kind, number, size, rng):
    ways = rng.exponential(size=(number, size, size))
    if kind == "alike":
        ways[:] = 1
    if kind == "cycle":
        ways = ways * np.roll(np.eye(size), 1, axis=1)
    if kind == "line":
        ways = ways * (np.eye(size, k=1) + np.eye(size, k=-1))
    if kind == "two":
        rank = np.where(np.eye(size, dtype=bool), 2, rng.random(ways.shape)).argsort().argsort()
        ways = ways * (rank < 2)
    ways[:, np.arange(size), np.arange(size)] = 0
    return ways / ways.sum(axis=-1, keepdims=True)


def _leave(leaving, ways):
    size = ways.shape[-1]
    return leaving[..., None] * ways + (1 - leaving)[..., None] * np.eye(size)


def _record(chains, rng, least, most, unseen=(), terminal=()):
    """Return a log with `least` to `most` moves from each state; none from those `unseen`."""
    moves = rng.integers(least, most + 1, chains.shape[:2])
    moves[:, list(unseen)] = 0
    ended = np.isin(np.arange(chains.shape[-1]), list(terminal))
    return EmpiricalChains(jnp.asarray(rng.multinomial(moves, chains), int), jnp.asarray(ended))


def _often(number, rng):
    chains = _leave(rng.uniform(0.2, 0.5, (number, 5)), _ways("any", number, 5, rng))
    return chains, _record(chains, rng, 20, 200)


def _few_moves(number, rng):
    chains = _leave(rng.uniform(0.2, 0.9, (number, 5)), _ways("two", number, 5, rng))
    return chains, _record(chains, rng, 2, 20)


def _nearly_deterministic(number, rng):
    size = int(rng.choice((4, 8)))
    slip = np.exp(rng.uniform(*np.log((0.002, 0.1)), (number, size)))
    ahead = np.eye(size)[rng.permuted(np.tile(np.arange(size), (number, 1)), axis=1)]
    chains = (1 - slip[..., None]) * ahead
    chains += slip[..., None] * rng.dirichlet(np.ones(size), (number, size))
    return chains, _record(chains, rng, 20, 200)


def _deterministic(number, rng):
    chains = np.eye(6)[rng.integers(6, size=(number, 6))]
    return chains, _record(chains, rng, 20, 200)


def _lattice(side):
    row, column = np.divmod(np.arange(side**2), side)
    near = (np.abs(row[:, None] - row) + np.abs(column[:, None] - column)) == 1
    return near, near / near.sum(axis=1, keepdims=True)


def _grid(side, slips):
    near, walk = _lattice(side)

    def draw(number, rng):
        if not slips:
            chains = np.broadcast_to(walk, (number, *walk.shape))
            return chains, _record(chains, rng, 15, 60)
        aim = np.where(near, rng.random((number, *near.shape)), -1).argmax(axis=-1)
        slip = rng.choice([0.02, 0.1, 0.3], (number, 1, 1))
        chains = (1 - slip) * np.eye(side**2)[aim] + slip * walk
        return chains, _record(chains, rng, 10, 100)

    return draw


def _short_walks(number, rng):
    _, walk = _lattice(4)
    counts = np.zeros((number, *walk.shape), int)
    states, logs = rng.integers(len(walk), size=number), np.arange(number)
    for _ in range(rng.integers(50, 200)):
        ahead = (walk.cumsum(axis=1)[states] < rng.random((number, 1))).sum(axis=1)
        np.add.at(counts, (logs, states, ahead), 1)
        states = ahead
    ended = jnp.zeros(len(walk), bool)
    return np.broadcast_to(walk, counts.shape), EmpiricalChains(jnp.asarray(counts, int), ended)


def _absorbing(marked, unvisited):
    def draw(number, rng):
        chains = _leave(rng.uniform(0.02, 0.4, (number, 5)), _ways("any", number, 5, rng))
        if not unvisited:
            chains[:, -1] = np.eye(5)[-1]
        last = [4]
        return chains, _record(
            chains, rng, 20, 200, last if marked or unvisited else (), last if marked else ()
        )

    return draw


OTHERS = {
    "left often": _often,
    "2 to 20 moves": _few_moves,
    "nearly deterministic": _nearly_deterministic,
    "deterministic": _deterministic,
    "grid, 25 cells": _grid(5, slips=False),
    "short walks, 16 cells": _short_walks,
    "grid with slips": _grid(4, slips=True),
    "terminal state": _absorbing(marked=True, unvisited=False),
    "absorbing, not marked": _absorbing(marked=False, unvisited=False),
    "state without moves": _absorbing(marked=False, unvisited=True),
}


def fewest_exits(counts):
    """Return the fewest exits on the way, twice [N S S]: from states that lead on, and from all.

    On the way from s to g are the states that the log reaches from s before g. Those that lead on
    are the ones from which it also reaches g.
    """
    counts = np.asarray(counts)
    size, many = counts.shape[-1], np.iinfo(int).max
    exits = counts.sum(axis=-1) - np.diagonal(counts, axis1=1, axis2=2)
    leads, of_leading, of_all = _reached(counts > 0), [], []
    for goal in range(size):
        there = np.arange(size) == goal
        before = _reached((counts > 0) & ~there) & ~there
        of_all.append(np.where(before, exits[:, None], many).min(axis=-1))
        leading = before & leads[:, None, :, goal]
        of_leading.append(np.where(leading, exits[:, None], many).min(axis=-1))
    return np.stack(of_leading, axis=-1), np.stack(of_all, axis=-1)


def _reached(steps):
    reached = steps | np.eye(steps.shape[-1], dtype=bool)
    for _ in range(int(steps.shape[-1]).bit_length()):
        reached = np.matmul(reached, reached, dtype=float) > 0
    return reached


def measure(name, number, rng, *, discount, representation=first_occupancy, **options):
    """Return intervals, and arrays [N S S] that tell which are trusted and hold the truth.

    Entries whose truth is above 0, and not 1 by definition, are `open`. They are `well_known` if
    the log leads from s to another state g, with `ENOUGH_EXITS` from every state on the way that
    leads on, and `all_known` with them from all states on the way.
    """
    chains, empirical = draw_logs(name, number, rng)
    key = jax.random.key(int(rng.integers(2**31)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UntrustedWarning)
        found = estimate_with_interval(
            empirical, key, discount=discount, representation=representation, **options
        )
    truth = np.linalg.inv(np.eye(chains.shape[-1]) - discount * chains)
    if representation is first_occupancy:
        truth = truth / np.diagonal(truth, axis1=1, axis2=2)[:, None]
    itself = np.eye(chains.shape[-1], dtype=bool)
    leading, every = fewest_exits(empirical.counts)
    there = np.asarray(_reached(np.asarray(empirical.counts) > 0))
    is_open = (truth > 0) & ~(itself & (representation is first_occupancy))
    well_known = is_open & ~itself & there & (leading >= ENOUGH_EXITS)
    return SimpleNamespace(
        found=found,
        open=is_open,
        trusted=is_open & np.asarray(found.trusted),
        covered=(found.low <= truth) & (truth <= found.high),
        well_known=well_known,
        all_known=well_known & (every >= ENOUGH_EXITS),
    )
