"""Sums of powers by sweeps, against long doubles, and the proven error against the true one."""

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

import regimes
from first_occupancy.representations._solvers import sweeps
from first_occupancy.representations._solvers.jumps import jump_chain
from first_occupancy.representations._solvers.sweeps import add_powers, nearest_first


def system(rng, size, kind):
    """Return jumps of a discounted chain, states that lead to the goal 0, b, and the true sums."""
    chain = regimes.draw_chain(rng, kind, size, "f8")
    discount = regimes.draw_discount(rng, "f8")
    truth = regimes.visits(chain, discount)
    moves = jump_chain(csr_array(chain * discount), 1 - discount).moves
    columns = csc_array(moves)
    order, _ = nearest_first(columns.indptr, columns.indices, columns.data, np.array([0]))
    return moves, order[1:], moves[:, [0]].toarray().ravel(), truth[:, 0] / truth[0, 0]


@pytest.mark.parametrize("kind", regimes.KINDS)
@pytest.mark.parametrize("tolerance", [1e-2, 1e-6, 1e-12])
def test_the_proven_error_bounds_the_true_one_entry_by_entry(kind, tolerance):
    rng, proven = np.random.default_rng(3), 0
    for size in (2, 3, 8, 33, 64):
        moves, order, right, truth = system(rng, size, kind)
        found = np.zeros(size)
        error = add_powers(moves, order, right, found, tolerance=tolerance, limit=2000)
        if np.isinf(error):
            continue
        proven += 1
        assert error <= tolerance
        # What rounding adds on the way: a part of the contract's 1000 S eps.
        allowed = error + 100 * size * np.finfo(float).eps
        counted = order[truth[order] > 1e-285]
        assert (np.abs(found[counted] / truth[counted] - 1) <= allowed).all()
        assert (found[np.setdiff1d(np.arange(size), order)] == 0).all()
    assert proven >= 2


def test_a_random_chain_takes_few_sweeps_at_every_discount():
    rng = np.random.default_rng(4)
    size = 300
    chain = np.zeros((size, size))
    for row in chain:
        row[rng.choice(size, 5, replace=False)] = rng.dirichlet(np.ones(5))
    for discount in (0.5, 0.99, 1 - 1e-5):
        moves = jump_chain(csr_array(chain * discount), 1 - discount).moves
        order = np.arange(1, size)
        found, right = np.zeros(size), moves[:, [0]].toarray().ravel()
        error = add_powers(moves, order, right, found, tolerance=1e-10, limit=100)
        exact = np.linalg.solve(np.eye(size) - discount * chain, np.eye(size)[0])
        assert error <= 1e-10
        np.testing.assert_allclose(found[1:], exact[1:] / exact[0], rtol=1e-9)


@pytest.mark.parametrize("period", [2, 3, 4])
def test_a_periodic_chain_is_bounded_or_given_up_never_wrong(period):
    size = 24
    ahead = (np.arange(size) + 1) % size
    moves = np.zeros((size, size))
    moves[np.arange(size), ahead] = 0.6
    moves[np.arange(size), (np.arange(size) + 1 - period) % size] = 0.399
    order, right = np.arange(1, size), np.full(size, 0.001)
    exact = np.zeros(size)
    exact[1:] = np.linalg.solve(np.eye(size - 1) - moves[1:, 1:], right[1:])
    for rng in map(np.random.default_rng, range(5)):
        found = np.zeros(size)
        mixed = rng.permutation(order)
        error = add_powers(csr_array(moves), mixed, right, found, tolerance=1e-9, limit=5000)
        assert error <= 1e-9
        np.testing.assert_allclose(found, exact, rtol=2e-9)


def test_what_is_there_already_is_added_to_and_shortens_the_sweeps():
    rng = np.random.default_rng(5)
    moves, order, right, _ = system(rng, 64, "dense")
    alone, begun = np.zeros(64), np.full(64, 1e20)
    add_powers(moves, order, right, alone, tolerance=1e-12, limit=1000)
    assert add_powers(moves, order, right, begun, tolerance=1e-12, limit=2) <= 1e-12
    assert (begun >= 1e20).all()


def test_too_many_sweeps_are_given_up_as_soon_as_that_is_foreseen():
    # Two states that nearly always lead to each other, and are lost or arrive once in 1e12 jumps.
    moves = csr_array([[0, 0, 0], [1e-12, 0, 1 - 2e-12], [0, 1 - 1e-12, 0]])
    found, right = np.zeros(3), np.array([0, 1e-12, 0])
    error = add_powers(moves, np.array([1, 2]), right, found, tolerance=1e-13, limit=1e9)
    assert np.isinf(error)


def test_the_plain_functions_return_what_the_compiled_ones_return(monkeypatch):
    moves, order, right, _ = system(np.random.default_rng(6), 16, "sparse")
    found, plain = np.zeros(16), np.zeros(16)
    add_powers(moves, order, right, found, tolerance=1e-9, limit=1000)
    monkeypatch.setattr(sweeps, "_sweep", sweeps._sweep.py_func)
    add_powers(moves, order, right, plain, tolerance=1e-9, limit=1000)
    np.testing.assert_allclose(plain, found, rtol=1e-14)


def test_states_that_lead_to_a_target_are_found_nearest_first_and_zeros_lead_nowhere():
    chain = csc_array(([1.0, 0.0, 1.0, 1.0], ([0, 1, 2, 3], [1, 2, 2, 0])), shape=(4, 4))
    parts = chain.indptr, chain.indices, chain.data
    assert nearest_first(*parts, np.array([2]))[0].tolist() == [2]
    assert nearest_first(*parts, np.array([1]))[0].tolist() == [1, 0, 3]
    assert nearest_first(*parts, np.array([1, 2]))[1] == 2
