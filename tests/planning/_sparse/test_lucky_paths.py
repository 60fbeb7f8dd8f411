"""The luckiest path against a plain search over products."""

import numpy as np
from scipy.sparse import csr_array

from first_occupancy.planning._sparse.lucky_paths import lucky_choice
from first_occupancy.planning._sparse.refinement import Moves
from first_occupancy.representations._solvers.arrivals import arrivals


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
            sparse = [csr_array(each) for each in kernels]
            choice, logs = lucky_choice(sparse, goals)
            products = best_products(kernels, goals)
            np.testing.assert_allclose(np.exp(logs), products, rtol=1e-7)
            followed = arrivals(Moves(sparse).of(choice), goals).values
            assert (followed >= products * (1 - 1e-7)).all()
            assert ((followed > 0) == (products > 0)).all()
            assert choice[goals[0]] == -1


def test_a_goal_that_nothing_leads_to_has_no_path():
    choice, logs = lucky_choice([csr_array(np.eye(3) * 0.9)], np.array([1]))
    assert choice.tolist() == [-1, -1, -1]
    assert logs.tolist() == [-np.inf, 0, -np.inf]
