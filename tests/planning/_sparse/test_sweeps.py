"""Bounds from sweeps, against choices that are refined and solved for to the end."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from first_occupancy.planning._sparse import refinement, sweeps
from first_occupancy.planning._sparse.lucky_paths import lucky_choice
from first_occupancy.planning._sparse.refinement import Moves, refine
from first_occupancy.planning._sparse.sweeps import sweep
from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.jumps import jump_chain


def random_moves(rng, factor):
    size, count = int(rng.integers(2, 30)), int(rng.integers(1, 4))
    jumps = []
    for _ in range(count):
        rows = np.zeros((size, size))
        for row in rows:
            ends = rng.choice(size, min(int(rng.integers(1, 4)), size), replace=False)
            row[ends] = factor * rng.dirichlet(np.ones(len(ends)))
        jumps.append(jump_chain(csr_array(rows), 1 - factor))
    return jumps


@pytest.mark.parametrize("padding", [0, 3], ids=["rows as they are", "padded rows"])
@pytest.mark.parametrize("factor", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("tolerance", [0.1, 1e-6])
def test_values_and_gap_enclose_the_choice_and_the_optimum(factor, tolerance, padding, monkeypatch):
    monkeypatch.setattr(refinement, "PADDING", padding)
    rng = np.random.default_rng(11)
    for _ in range(30):
        jumps = random_moves(rng, factor)
        moves, goals = Moves(jumps), np.array([0])
        assert (moves.padded is None) == (padding == 0)
        choice, logs = lucky_choice(jumps, goals)
        found = sweep(moves, goals, choice, np.exp(logs), tolerance=tolerance)
        followed = arrivals(moves.of(found.choice), goals).values
        optimum = refine(moves, goals, choice, rounds=None).values
        assert found.gap <= tolerance
        assert (found.values <= followed * (1 + 1e-12)).all()
        assert (followed <= optimum * (1 + 1e-12)).all()
        assert (optimum <= found.values + found.gap + 1e-12).all()
        assert ((found.choice >= 0) == ((optimum > 0) & (np.arange(len(choice)) != 0))).all()


def test_it_gives_up_where_discounts_are_too_near_to_one():
    # States 0 and 1 nearly always lead to each other: 60 rounds of sweeps are not enough.
    loss = 1e-7
    kernel = np.array([[0, 1 - 1e-6, 1e-6], [1, 0, 0], [0, 0, 1]]) * (1 - loss)
    jumps = jump_chain(csr_array(kernel), loss)
    choice, below = np.array([0, 0, -1]), np.array([0, 0, 1.0])
    found = sweep(Moves([jumps]), np.array([2]), choice, below, tolerance=1e-9)
    assert found.gap > 1e-9
    assert found.values[0] < arrivals(jumps, np.array([2])).values[0]


def test_states_see_the_new_values_of_those_before_them():
    # State 3 leads to 2, which leads to 1, which leads to 0: one sweep takes the value all the way.
    moves = csr_array(np.eye(4, k=-1) * 0.5)
    changes = csr_array(moves - np.diag([0.0, 1, 1, 1]))
    values = np.array([1.0, 0, 0, 0])
    sweeps.update(changes, values)
    np.testing.assert_allclose(values, [1, 0.5, 0.25, 0.125])


def test_a_sweep_is_that_of_gauss_and_seidel_and_never_passes_the_solution():
    rng = np.random.default_rng(3)
    for _ in range(50):
        dense = random_moves(rng, 0.9)[0].moves.toarray()
        size = len(dense)
        dense[0] = 0
        changes = csr_array(dense - np.diag([0.0] + [1.0] * (size - 1)))
        values = plain = np.eye(size)[0]
        values = values.copy()
        exact = np.linalg.solve(np.eye(size) - dense, np.eye(size)[0])
        for _ in range(5):
            sweeps.update(changes, values)
            plain = plain.copy()
            for state in range(1, size):
                plain[state] = dense[state] @ plain
            np.testing.assert_allclose(values, plain, atol=1e-15)
            assert (values <= exact + 1e-12).all()


def test_without_scipys_own_product_sweeps_are_jacobis_and_end_at_the_same_values(monkeypatch):
    jumps = random_moves(np.random.default_rng(5), 0.9)
    moves, goals = Moves(jumps), np.array([0])
    choice, logs = lucky_choice(jumps, goals)
    found = sweep(moves, goals, choice, np.exp(logs), tolerance=1e-9)
    monkeypatch.setattr(sweeps, "csr_matvec", None)
    other = sweep(moves, goals, choice, np.exp(logs), tolerance=1e-9)
    np.testing.assert_allclose(found.values, other.values, atol=2e-9)
    np.testing.assert_array_equal(found.choice, other.choice)
