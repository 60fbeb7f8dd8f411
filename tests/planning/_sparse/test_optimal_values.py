"""Value and policy iteration on sparse worlds, against the dense ones and plain loops."""

import numpy as np
import pytest

import first_occupancy as fo


def random_world(rng, *, timed=False):
    size, count = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    rows = rng.dirichlet(np.full(size, 0.3), (size, count))
    durations = rng.random((size, count)) + 0.5 if timed else None
    return fo.SparseMDP(rows, rewards=rng.normal(size=(size, count)), durations=durations)


@pytest.mark.parametrize("solver", [fo.value_iteration, fo.policy_iteration])
def test_solutions_are_those_of_the_dense_world(solver):
    rng = np.random.default_rng(14)
    for _ in range(10):
        world = random_world(rng)
        sparse, dense = (solver.solve(each, discount=0.9) for each in (world, world.dense()))
        np.testing.assert_allclose(sparse.values, dense.values, atol=2e-6)
        np.testing.assert_array_equal(sparse.policy, dense.policy)


def test_moves_that_take_time_are_discounted_by_it():
    rng = np.random.default_rng(15)
    for _ in range(10):
        world = random_world(rng, timed=True)
        values = np.zeros(world.num_states)
        for _ in range(2000):
            ahead = np.stack([chain @ values for chain in world.action_chains], axis=1)
            values = (world.rewards + 0.9**world.durations * ahead).max(axis=1)
        for solver in (fo.value_iteration, fo.policy_iteration):
            found = solver.solve(world, discount=0.9)
            np.testing.assert_allclose(found.values, values, atol=2e-6)


def test_sweeps_and_rounds_can_be_limited():
    world = random_world(np.random.default_rng(16))
    assert fo.value_iteration.solve(world, discount=0.9, max_iterations=3).iterations == 3
    assert fo.policy_iteration.solve(world, discount=0.9, max_iterations=1).iterations == 1
