"""Held and Karp's recursion; `test_tours.py` compares tours with all orders."""

import itertools

import numpy as np
import pytest

from first_occupancy.planning._tours.held_karp import shortest_tour
from tour_oracle import shortest_known, shortest_length


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_closed_tours_are_the_shortest_of_all_orders(count):
    for seed in range(5):
        lengths = np.random.default_rng(seed).exponential(size=(count + 1, count + 1))

        def length(order, lengths=lengths):
            return sum(lengths[leg] for leg in itertools.pairwise((0, *order, 0)))

        best = min(map(length, itertools.permutations(range(1, count + 1))))
        np.testing.assert_allclose(length(shortest_tour(lengths)), best, rtol=1e-12)
        np.testing.assert_allclose(shortest_length(lengths), best, rtol=1e-12)
        np.testing.assert_allclose(shortest_known(lengths, 2 * best), best, rtol=1e-12)


def test_nodes_that_cannot_be_left_have_no_tour():
    lengths = np.ones((3, 3))
    lengths[1] = np.inf
    assert shortest_tour(lengths) == []
    lengths[1, 0] = 1
    assert shortest_tour(lengths) == [2, 1]
