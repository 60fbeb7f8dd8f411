"""The SR split at the first entry into some states, against solves of the whole chain."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from first_occupancy.representations import successor
from first_occupancy.representations._solvers.entries import reachable_pairs, split_sr
from oracles import exact_fr_column
from strategies import random_chain


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("discount", [0.0, 0.9, 0.9999])
def test_rows_and_columns_are_those_of_the_whole_chain(seed, discount):
    rng = np.random.default_rng(seed)
    matrix = random_chain(rng, 30)
    states = rng.choice(30, size=3, replace=False)
    others = np.setdiff1d(np.arange(30), states)
    whole = successor.solve_columns(matrix, np.arange(30), discount=discount)
    split = split_sr(csr_array(matrix), states, discount)
    for ours, expected in (
        (split.visits, whole[states]),
        (split.own_columns(), whole[:, states]),
        (split.rows(np.arange(30)), whole),
        (split.columns(others), whole[:, others]),
    ):
        np.testing.assert_array_equal(ours == 0, expected == 0)
        np.testing.assert_allclose(ours, expected, rtol=1e-15 / (1 - discount) + 1e-13)


def test_the_first_entry_into_one_state_is_its_fr():
    matrix = random_chain(np.random.default_rng(1), 7)
    fractions = [[Fraction(float(entry)) for entry in row] for row in matrix]
    exact = [float(entry) for entry in exact_fr_column(fractions, Fraction(0.9), 4)]
    split = split_sr(csr_array(matrix), np.array([4]), 0.9)
    np.testing.assert_allclose(split.entries[:, 0], exact, rtol=1e-13)


def test_all_states_may_be_split_off_and_the_chain_stays_as_it_is():
    matrix = csr_array(random_chain(np.random.default_rng(2), 6))
    kept = matrix.toarray()
    split = split_sr(matrix, np.arange(6), 0.9)
    np.testing.assert_allclose(split.visits, np.linalg.inv(np.eye(6) - 0.9 * kept), atol=1e-12)
    np.testing.assert_array_equal(split.entries, np.eye(6))
    np.testing.assert_array_equal(matrix.toarray(), kept)


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
