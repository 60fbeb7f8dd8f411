"""Trusted intervals of logs, against chains that are known."""

import numpy as np

import interval_logs
from first_occupancy.representations import first_occupancy, successor
from interval_logs import measure

NUMBER = 100
MISSES = 0.08
MISSES_IF_RARE_MOVES_DECIDE = 0.14
RARE_MOVES_DECIDE = ("nearly deterministic", "absorbing, not marked")


def trusted_intervals(rng):
    """The share of trusted intervals that miss the truth, over 100 logs of one regime."""
    name = rng.choice([*interval_logs.RARELY_LEFT, *interval_logs.OTHERS])
    representation = rng.choice([first_occupancy, successor])
    discount = float(rng.choice([0.5, 0.9, 0.99, 0.999]))
    seen = measure(name, NUMBER, rng, discount=discount, representation=representation)
    found = seen.found
    assert ((found.low <= found.estimate) & (found.estimate <= found.high)).all()
    assert not (seen.trusted & np.asarray(found.low == found.high)).any()
    assert name != "deterministic" or not seen.trusted.any()
    logs = np.count_nonzero(seen.trusted.any(axis=(1, 2)))
    allowed = MISSES_IF_RARE_MOVES_DECIDE if name in RARE_MOVES_DECIDE else MISSES
    # Four standard errors of a share, counting logs: intervals of one log depend on each other.
    slack = 4 * np.sqrt(allowed * (1 - allowed) / max(logs, 1))
    misses = np.asarray(seen.trusted & ~seen.covered).sum() / max(seen.trusted.sum(), 1)
    return float(misses / (allowed + slack))
