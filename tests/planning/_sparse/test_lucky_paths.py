"""The luckiest path against a plain search over products."""

import numpy as np
from scipy.sparse import csr_array

from first_occupancy.planning._sparse.lucky_paths import lucky_paths
from first_occupancy.planning._sparse.refinement import Moves
from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.jumps import jump_chain


def best_products(kernels, goals):
    """Return the largest product along any path, by relaxing all edges S times."""
    staying = np.einsum("nss->ns", kernels)
    leave = kernels / np.where(staying < 1, 1 - staying, np.inf)[:, :, None]
    best = np.zeros(kernels.shape[1])
    best[goals] = 1
    for _ in best:
        ahead = leave * best[None, None]
        ahead[:, np.arange(len(best)), np.arange(len(best))] = 0
        best = np.maximum(best, ahead.max(axis=(0, 2)))
        best[goals] = 1
    return best


def test_following_the_luckiest_path_brings_at_least_its_product():
    rng = np.random.default_rng(7)
    for factor in (0.9, 1.0):
        for _ in range(80):
            size, count = int(rng.integers(2, 8)), int(rng.integers(1, 4))
            kernels = np.zeros((count, size, size))
            for row in kernels.reshape(-1, size):
                ends = rng.choice(size, min(3, size), replace=False)
                row[ends] = factor * rng.dirichlet(np.ones(len(ends)))
            goals = rng.choice(size, 1)
            jumps = [jump_chain(csr_array(each), 1 - factor) for each in kernels]
            choice, logs, _ = lucky_paths(Moves(jumps), goals)
            products = best_products(kernels, goals)
            np.testing.assert_allclose(np.exp(logs), products, rtol=1e-12)
            followed = arrivals(Moves(jumps).of(choice), goals).values
            assert (followed >= products * (1 - 1e-12)).all()
            assert ((followed > 0) == (products > 0)).all()
            assert choice[goals[0]] == -1


def test_a_goal_that_nothing_leads_to_has_no_path():
    moves = Moves([jump_chain(csr_array(np.eye(3) * 0.9), 0.1)])
    choice, logs, order = lucky_paths(moves, np.array([1]))
    assert not len(order)
    assert choice.tolist() == [-1, -1, -1]
    assert logs.tolist() == [-np.inf, 0, -np.inf]


def test_the_luckiest_path_is_found_however_near_to_certain_its_moves_are():
    # Straight from 0 to 2 loses 3e-12; through 1, each of two moves loses 1e-12.
    kernel = csr_array(np.array([[0, 1.0, 0], [0, 0, 1.0], [0, 0, 0]]))
    straight = csr_array(np.array([[0, 0, 1.0], [0, 0, 0], [0, 0, 0]]))
    jumps = [jump_chain(kernel, 1e-12), jump_chain(straight, 3e-12)]
    choice, logs, order = lucky_paths(Moves(jumps), np.array([2]))
    assert order.tolist() == [0, 1]
    assert choice.tolist() == [0, 0, -1]
    np.testing.assert_allclose(logs, [-2e-12, -1e-12, 0], rtol=1e-3)
