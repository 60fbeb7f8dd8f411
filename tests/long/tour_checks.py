"""Tours of 17 to 24 goals at many scales: is every bound valid, and every proof of optimality?"""

from unittest import mock

import numpy as np

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.planning import tours as searches
from tour_oracle import shortest_known, shortest_length

SUBSETS_UP_TO = 18
"""Most goals for which the oracle is dynamic programming; a case of 20 takes seconds."""

KINDS = ("asymmetric", "symmetric", "clustered", "ties", "zeros", "blocked", "mixed")
ALLOWED = 1e-12


def tours(rng, most=24):
    """A bound that is above the optimum, or a proof that is false, counts as its relative error."""
    lengths = draw_lengths(rng, int(rng.integers(17, most + 1)) + 1)
    last = None if rng.random() < 0.7 else int(rng.integers(1, len(lengths)))
    returning = -lengths[:, 0] if rng.random() < 0.5 else None
    goals = np.arange(1, len(lengths))
    solver = None if rng.random() < 0.5 else searches.installed_solver()
    try:
        with mock.patch.object(searches, "installed_solver", return_value=solver):
            tour = planning.best_order(0, goals, -lengths[:, 1:], last=last, returning=returning)
    except fo.InputError:  # no order was found that makes no blocked leg
        assert np.isinf(lengths).any()
        return 0.0
    assert sorted(tour.order) == list(goals)
    assert last is None or tour.order[-1] == last
    if returning is None:
        lengths[1:, 0] = 0
    if last is not None:
        lengths[(goals != last).nonzero()[0] + 1, 0] = np.inf
    way = [0, *tour.order, 0]
    length = -tour.log_discount
    error = _excess(abs(lengths[way[:-1], way[1:]].sum() - length), length)
    few = len(goals) <= SUBSETS_UP_TO
    best = shortest_length(lengths) if few else shortest_known(lengths, length)
    assert 0 <= tour.gap <= 1
    error = max(error, _excess(-tour.bound - best, best))
    if tour.proven_optimal:
        error = max(error, _excess(length - best, best))
    return error / ALLOWED


def _excess(more, length):
    return max(more, 0.0) / length if length else (0.0 if more <= 0 else np.inf)


def draw_lengths(rng, count):
    """Return lengths between nodes, at a scale from 1e-12 to 1e6 or of all these scales."""
    kind = rng.choice(KINDS)
    if kind == "symmetric":
        places = rng.random((count, 2))
    elif kind == "clustered":
        towns = rng.random((int(rng.integers(2, 6)), 2))
        places = towns[rng.integers(len(towns), size=count)]
        places = places + 10.0 ** -rng.uniform(0, 6) * rng.random((count, 2))
    if kind in ("symmetric", "clustered"):
        lengths = np.linalg.norm(places[:, None] - places[None], axis=2)
    elif kind == "ties":
        lengths = rng.integers(1, 4, (count, count)).astype(float)
    else:
        lengths = rng.random((count, count))
    if kind == "zeros":
        lengths[rng.random(lengths.shape) < rng.uniform(0.05, 0.5)] = 0
    elif kind == "blocked":
        lengths[rng.random(lengths.shape) < rng.uniform(0.1, 0.7)] = np.inf
    elif kind == "mixed":
        lengths *= 10.0 ** rng.uniform(-12, 12, lengths.shape)
        if rng.random() < 0.5:  # legs into a node are of one scale
            lengths = rng.random(lengths.shape) * 10.0 ** rng.uniform(-12, 12, count)
    np.fill_diagonal(lengths, 0)
    return lengths * (1.0 if kind == "mixed" else 10.0 ** rng.uniform(-12, 6))
