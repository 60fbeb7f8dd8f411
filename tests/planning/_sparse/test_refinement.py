"""Refined choices against all stationary choices, and against linear programming."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.planning._sparse.refinement import refine
from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.jumps import jump_chain


def random_kernels(rng, factor):
    """Return the discounted moves of some policies among some states."""
    size, count = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    kernels = np.zeros((count, size, size))
    for row in kernels.reshape(-1, size):
        ends = rng.choice(size, min(int(rng.integers(1, 4)), size), replace=False)
        weights = rng.integers(1, 5, len(ends))
        row[ends] = factor * weights / weights.sum()
    return kernels


def jumps_of(kernels, factor):
    """Return the jump chains of the moves, with times if nothing is discounted."""
    return [jumps_of_one(each, factor) for each in kernels]


def jumps_of_one(kernel, factor):
    rows = csr_array(kernel)
    timed = {"elapsed": rows, "waiting": kernel.diagonal()} if factor == 1 else {}
    return jump_chain(rows, 1 - factor, **timed)


def all_choices(kernels, goals, factor):
    """Yield values and times of every stationary choice."""
    count, size, _ = kernels.shape
    for choice in product(range(count), repeat=size):
        jumps = jumps_of_one(kernels[list(choice), np.arange(size)], factor)
        found = arrivals(jumps, goals)
        yield found.values, np.zeros(size) if jumps.times is None else found.times(jumps.times)


@pytest.mark.parametrize("factor", [0.9, 0.999, 1.0])
def test_refined_to_the_end_no_stationary_choice_is_better(factor):
    rng = np.random.default_rng(4)
    for _ in range(60):
        kernels = random_kernels(rng, factor)
        size, goals = kernels.shape[1], np.array([0])
        values, times = map(np.array, zip(*all_choices(kernels, goals, factor), strict=True))
        start = rng.integers(0, len(kernels), size)
        found = refine(Moves(jumps_of(kernels, factor)), goals, start, rounds=None)
        np.testing.assert_allclose(found.values, values.max(axis=0), rtol=1e-12)
        if factor == 1:
            best = np.where(values >= values.max(axis=0)[None] - 1e-9, times, np.inf).min(axis=0)
            np.testing.assert_allclose(found.times, np.where(found.values > 0, best, 0), rtol=1e-9)


def test_the_optimum_is_that_of_linear_programming():
    rng = np.random.default_rng(5)
    for _ in range(40):
        kernels = random_kernels(rng, 0.95)
        count, size, _ = kernels.shape
        # The least v with v >= K_n v for all n, and v >= 1 at the goal.
        rows = [kernels[n, s] - np.eye(size)[s] for n in range(count) for s in range(1, size)]
        rows.append(-np.eye(size)[0])
        limits = np.append(np.zeros(len(rows) - 1), -1)
        exact = linprog(np.ones(size), np.array(rows), limits, method="highs").x
        moves = Moves(jumps_of(kernels, 0.95))
        found = refine(moves, np.array([0]), np.zeros(size, int), rounds=None)
        np.testing.assert_allclose(found.values, exact, atol=1e-9)


def test_no_round_loses_and_the_gap_bounds_what_is_left():
    rng = np.random.default_rng(6)
    for _ in range(60):
        kernels = random_kernels(rng, 0.9)
        size, goals = kernels.shape[1], np.array([0])
        moves = Moves(jumps_of(kernels, 0.9))
        start = rng.integers(0, len(kernels), size)
        rounds = [refine(moves, goals, start, rounds=count) for count in range(6)]
        best = rounds[-1].values
        for earlier, later in pairwise(rounds):
            assert (later.values >= earlier.values * (1 - 1e-12)).all()
            assert (best - earlier.values <= earlier.gap + 1e-12).all()


def test_a_tolerance_ends_the_rounds_early():
    rng = np.random.default_rng(7)
    kernels = 0.99 * rng.dirichlet(np.full(40, 0.05), (4, 40))
    moves, start = Moves(jumps_of(kernels, 0.99)), np.zeros(40, int)
    goals = np.array([0])
    whole = refine(moves, goals, start, rounds=None)
    once = refine(moves, goals, start, rounds=1)
    early = refine(moves, goals, start, rounds=None, tolerance=once.gap)
    np.testing.assert_array_equal(early.choice, once.choice)
    assert (early.choice != whole.choice).any()
    assert (whole.values - early.values).max() <= early.gap


def test_states_that_follow_nothing_do_not_move():
    moves = Moves([jump_chain(csr_array(np.eye(3)[[0, 0, 1]]))])
    kept = moves.of(np.array([-1, 0, -1]))
    np.testing.assert_array_equal(kept.moves.toarray(), [[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(kept.losses, [1, 0, 1])
