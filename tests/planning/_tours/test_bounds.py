"""Bounds by linear programming, compared with the shortest tours."""

import numpy as np
import pytest

from first_occupancy.planning._tours.bounds import shortest_possible
from first_occupancy.planning._tours.held_karp import shortest_tour


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


@pytest.mark.parametrize("kind", ["plane", "two towns", "some legs blocked"])
def test_no_tour_is_shorter_and_the_shortest_is_little_longer(kind):
    shares = []
    for seed in range(6):
        lengths = lengths_of(seed, 10, kind)
        order, bound = shortest_tour(lengths), shortest_possible(lengths)
        if not order:
            continue
        way = [0, *order, 0]
        best = lengths[way[:-1], way[1:]].sum()
        assert bound <= best * (1 + 1e-9)
        shares.append(bound / best)
    assert min(shares) > 0.9
    assert np.mean(shares) > 0.98


def test_where_there_is_no_tour_the_bound_is_infinite():
    lengths = np.ones((4, 4))
    lengths[2] = np.inf
    assert shortest_possible(lengths) == np.inf
