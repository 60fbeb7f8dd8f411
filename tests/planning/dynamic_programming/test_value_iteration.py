"""Value iteration against all policies tried one by one.

In sparse worlds policy iteration, too, against the dense ones and plain loops.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import first_occupancy as fo
from first_occupancy.core import absorbing
from first_occupancy.environments import four_rooms
from first_occupancy.planning.dynamic_programming import value_iteration
from oracles import best_values, policy_values
from strategies import random_world, seeds

DISCOUNT = 0.9


@given(seeds)
def test_value_iteration_finds_the_best_of_all_policies(seed):
    world = random_world(seed)
    best = best_values(world, DISCOUNT)
    solution = value_iteration.solve(world, discount=DISCOUNT, error=1e-10)
    np.testing.assert_allclose(solution.values, best, atol=1e-10)
    np.testing.assert_allclose(policy_values(world, solution.policy, DISCOUNT), best, atol=1e-9)


@given(seeds, st.sampled_from([1.0, 0.1, 1e-3]))
def test_value_iteration_stops_within_the_error_it_was_given(seed, error):
    world = random_world(seed)
    solution = value_iteration.solve(world, discount=DISCOUNT, error=error)
    best = best_values(world, DISCOUNT)
    assert np.abs(solution.values - best).max() <= error / 2
    assert (best - policy_values(world, solution.policy, DISCOUNT)).max() <= error
    needed = np.log(2 / ((1 - DISCOUNT) ** 2 * error)) / (1 - DISCOUNT)  # the paper's bound
    assert solution.iterations <= np.ceil(needed)


def test_an_error_of_zero_gives_every_digit_of_far_values():
    world = absorbing(four_rooms(noise=0.1).mdp, 0)
    values = value_iteration.solve(world, discount=0.3, error=0.0).values
    again = np.asarray(world.transition) * (np.asarray(world.reward) + 0.3 * np.asarray(values))
    assert values.max() > 0.9
    assert values[1:].min() < 1e-8
    np.testing.assert_allclose(again.sum(axis=2).max(axis=1), values, rtol=1e-14)


@pytest.mark.parametrize("sweeps", [0, 1, 2, 5])
def test_limited_value_iteration_is_that_many_sweeps(sweeps):
    world = random_world(3, size=5)
    values = np.zeros(5)
    for _ in range(sweeps):
        worth = np.asarray(world.transition) * (np.asarray(world.reward) + DISCOUNT * values)
        values = worth.sum(axis=2).max(axis=1)
    solution = value_iteration.solve(world, discount=DISCOUNT, error=0.0, max_iterations=sweeps)
    np.testing.assert_allclose(solution.values, values, rtol=1e-13)
    assert solution.iterations == sweeps
    worth = np.asarray(world.transition) * (np.asarray(world.reward) + DISCOUNT * values)
    assert solution.policy.tolist() == worth.sum(axis=2).argmax(axis=1).tolist()


def test_value_iteration_can_be_mapped_over_discounts():
    world, many = random_world(4), jnp.array([0.0, 0.5, 0.9])
    values = jax.vmap(lambda discount: value_iteration.solve(world, discount=discount).values)(many)
    expected = [best_values(world, float(discount)) for discount in many]
    np.testing.assert_allclose(values, expected, atol=1e-6)


def sparse_world(rng, *, timed=False):
    size, count = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    rows = rng.dirichlet(np.full(size, 0.3), (size, count))
    durations = rng.random((size, count)) + 0.5 if timed else None
    return fo.SparseMDP(rows, rewards=rng.normal(size=(size, count)), durations=durations)


@pytest.mark.parametrize("solver", [fo.value_iteration, fo.policy_iteration])
def test_solutions_are_those_of_the_dense_world(solver):
    rng = np.random.default_rng(14)
    for _ in range(10):
        world = sparse_world(rng)
        sparse, dense = (solver.solve(each, discount=0.9) for each in (world, world.dense()))
        np.testing.assert_allclose(sparse.values, dense.values, atol=2e-6)
        np.testing.assert_array_equal(sparse.policy, dense.policy)


def test_moves_that_take_time_are_discounted_by_it():
    rng = np.random.default_rng(15)
    for _ in range(10):
        world = sparse_world(rng, timed=True)
        values = np.zeros(world.num_states)
        for _ in range(2000):
            ahead = np.stack([chain @ values for chain in world.action_chains], axis=1)
            values = (world.rewards + 0.9**world.durations * ahead).max(axis=1)
        for solver in (fo.value_iteration, fo.policy_iteration):
            found = solver.solve(world, discount=0.9)
            np.testing.assert_allclose(found.values, values, atol=2e-6)


def test_sweeps_and_rounds_can_be_limited():
    world = sparse_world(np.random.default_rng(16))
    assert fo.value_iteration.solve(world, discount=0.9, max_iterations=3).iterations == 3
    assert fo.policy_iteration.solve(world, discount=0.9, max_iterations=1).iterations == 1
