"""Reachability from the support of a chain, against shortest paths between all pairs."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from first_occupancy.representations._solvers.reachability import reachable_pairs
from strategies import random_chain


def by_shortest_paths(matrix):
    return np.isfinite(shortest_path((matrix > 0).astype(float)))


@pytest.mark.parametrize("seed", range(20))
def test_a_pair_is_reachable_if_there_is_a_shortest_path(seed):
    rng = np.random.default_rng(seed)
    for size in (1, 3, 9, 40):
        few = np.eye(size)[rng.integers(size, size=size)]
        for matrix in (few, random_chain(rng, size), 0.5 * few + 0.5 * np.eye(size)):
            np.testing.assert_array_equal(
                reachable_pairs(csr_array(matrix)), by_shortest_paths(matrix)
            )


def test_a_line_of_more_components_than_bits_in_a_word():
    line = np.eye(300)[np.minimum(np.arange(300) + 1, 299)]
    np.testing.assert_array_equal(reachable_pairs(csr_array(line)), np.triu(np.ones((300, 300))))


def test_a_stored_zero_is_not_a_way():
    matrix = csr_array((np.array([1.0, 0.0, 1.0]), ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert matrix.nnz == 3
    np.testing.assert_array_equal(reachable_pairs(matrix), np.eye(2))
