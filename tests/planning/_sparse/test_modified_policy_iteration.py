"""Bounds from sweeps, against choices that are refined and solved for to the end."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from first_occupancy.planning._sparse.modified_policy_iteration import sweep
from first_occupancy.planning._sparse.moves import LuckyPaths, Moves
from first_occupancy.planning._sparse.refinement import refine
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


def any_order(lucky, rng):
    """Return the paths, for sweeps in their order or in that of the states."""
    return lucky._replace(are_short=bool(rng.integers(2)))


@pytest.mark.parametrize("factor", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("tolerance", [0.1, 1e-6])
def test_values_and_gap_enclose_the_choice_and_the_optimum(factor, tolerance):
    rng = np.random.default_rng(11)
    for _ in range(30):
        moves, goals = Moves(random_moves(rng, factor)), np.array([0])
        lucky = any_order(moves.lucky_paths(goals), rng)
        found, enough = sweep(moves, goals, lucky, tolerance=tolerance)
        followed = arrivals(moves.of(found.choice), goals).values
        optimum = refine(moves, goals, lucky.choice, rounds=None).values
        assert enough
        assert found.gap <= tolerance
        assert (found.values <= followed * (1 + 1e-12)).all()
        assert (followed <= optimum * (1 + 1e-12)).all()
        assert (optimum <= found.values + found.gap + 1e-12).all()
        assert ((found.choice >= 0) == ((optimum > 0) & (np.arange(len(optimum)) != 0))).all()


@pytest.mark.parametrize("factor", [0.5, 0.99, 0.99999])
def test_without_a_tolerance_the_choice_is_the_best_and_its_values_are_solved_for(factor):
    rng = np.random.default_rng(12)
    for _ in range(30):
        moves, goals = Moves(random_moves(rng, factor)), np.array([0])
        lucky = any_order(moves.lucky_paths(goals), rng)
        found, enough = sweep(moves, goals, lucky, tolerance=None)
        optimum = refine(moves, goals, lucky.choice, rounds=None).values
        if enough:
            np.testing.assert_allclose(found.values, optimum, rtol=1e-11)
        assert (found.values <= optimum * (1 + 1e-11)).all()


def test_it_gives_up_where_discounts_are_too_near_to_one():
    # States 0 and 1 nearly always lead to each other, by either policy, and 0 to the goal once.
    loss = 1e-9
    kernels = [
        np.array([[0, 1 - rare, rare], [1, 0, 0], [0, 0, 1]]) * (1 - loss) for rare in (1e-7, 2e-7)
    ]
    moves = Moves([jump_chain(csr_array(kernel), loss) for kernel in kernels])
    choice, below = np.array([0, 0, -1], np.int32), np.array([0, 0, 1.0])
    order, goals = np.array([0, 1]), np.array([2])
    with np.errstate(divide="ignore"):
        begin = LuckyPaths(choice, np.log(below), order, False)
    found, enough = sweep(moves, goals, begin, tolerance=1e-12)
    assert not enough
    assert found.gap > 1e-12
    assert found.values[0] <= arrivals(moves.of(found.choice), goals).values[0] * (1 + 1e-12)
