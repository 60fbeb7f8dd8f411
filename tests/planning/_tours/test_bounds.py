"""Bounds by linear programming, compared with the shortest tours."""

import numpy as np
import pytest
import scipy.optimize

from first_occupancy.planning._tours.bounds import shortest_possible
from tour_oracle import shortest_length


def lengths_of(seed, count, kind):
    rng = np.random.default_rng(seed)
    if kind == "plane":
        places = rng.random((count, 2))
        return np.linalg.norm(places[:, None] - places[None], axis=2)
    if kind == "two towns":  # solutions that never leave a town need cuts
        places = rng.random((count, 2)) + 10.0 * (np.arange(count) % 2)[:, None]
        return np.linalg.norm(places[:, None] - places[None], axis=2)
    lengths = rng.exponential(size=(count, count))
    lengths[rng.random((count, count)) < 0.2] = np.inf
    return lengths


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e-150, 1e150])
@pytest.mark.parametrize("kind", ["plane", "two towns", "some legs blocked"])
def test_no_tour_is_shorter_and_the_shortest_is_little_longer(kind, scale):
    shares = []
    for seed in range(6):
        lengths = scale * lengths_of(seed, 10, kind)
        best = shortest_length(lengths)
        if best == np.inf:
            continue
        for known in (best, 3 * best):
            bound = shortest_possible(lengths, known)
            assert bound <= best * (1 + 1e-15)
            shares.append(bound / best)
    assert min(shares) > 0.9
    assert np.mean(shares) > 0.98


def test_whatever_prices_a_solver_names_the_bound_holds(monkeypatch):
    """Solvers stop at tolerances, and round."""
    solve, rng = scipy.optimize.linprog, np.random.default_rng(0)

    def careless(*arguments, **options):
        found = solve(*arguments, **options)
        for prices in (found.eqlin.marginals, found.ineqlin.marginals):
            prices += 1e-3 * rng.normal(size=prices.shape)
        return found

    monkeypatch.setattr(scipy.optimize, "linprog", careless)
    for seed in range(6):
        lengths = lengths_of(seed, 10, "two towns")
        best = shortest_length(lengths)
        assert 0.9 * best < shortest_possible(lengths, best) <= best


def test_lengths_that_sums_do_not_notice_are_not_lost():
    """All legs into a node have one scale, from 1e-12 to 1e12, so the bound is nearly the sum."""
    lengths = np.full((9, 9), 10.0 ** np.arange(-12, 13, 3))
    best = shortest_length(lengths)
    assert best * (1 - 1e-14) <= shortest_possible(lengths, best) <= best


def test_tours_of_no_length_are_bounded_by_it():
    assert shortest_possible(np.zeros((5, 5)), 0.0) == 0
