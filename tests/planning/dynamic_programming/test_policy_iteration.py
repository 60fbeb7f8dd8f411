"""Policy iteration against all policies tried one by one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from first_occupancy.core import MDP, absorbing
from first_occupancy.environments import maze
from first_occupancy.planning.dynamic_programming import policy_iteration
from oracles import best_values, policy_values
from strategies import random_world, seeds

DISCOUNT = 0.9


@given(seeds)
def test_policy_iteration_finds_the_best_of_all_policies(seed):
    world = random_world(seed)
    best = best_values(world, DISCOUNT)
    solution = policy_iteration.solve(world, discount=DISCOUNT)
    np.testing.assert_allclose(solution.values, best, atol=1e-10)
    np.testing.assert_allclose(policy_values(world, solution.policy, DISCOUNT), best, atol=1e-9)


def test_policy_iteration_does_not_alternate_between_equally_good_actions():
    world = MDP(np.repeat(np.eye(3)[[1, 2, 0]][:, None, :], 4, axis=1), np.ones((3, 4, 3)))
    solution = policy_iteration.solve(world, discount=DISCOUNT)
    assert solution.policy.tolist() == [0, 0, 0]
    assert solution.iterations == 1
    np.testing.assert_allclose(solution.values, 10, rtol=1e-12)


def test_policy_iteration_can_be_mapped_over_discounts():
    world, many = random_world(4), jnp.array([0.0, 0.5, 0.9])
    values = jax.vmap(lambda discount: policy_iteration.solve(world, discount=discount).values)(
        many
    )
    expected = [best_values(world, float(discount)) for discount in many]
    np.testing.assert_allclose(values, expected, atol=1e-6)


@pytest.mark.parametrize("x64", [False, True])
def test_policy_iteration_finds_the_way_from_far_away(x64):
    with jax.enable_x64(x64):
        corridor = maze(["." * 300])
        right = corridor.action_names.index("right")
        solution = policy_iteration.solve(absorbing(corridor.mdp, 299), discount=0.95)
        assert (np.asarray(solution.policy)[:299] == right).all()


def test_policy_iteration_takes_a_fifth_more_pay_in_single_precision_too():
    with jax.enable_x64(False):
        pays = np.array([[[1.0], [1.2]]], np.float32)
        found = policy_iteration.solve(MDP(np.ones_like(pays), pays), discount=0.9999)
        assert found.policy.tolist() == [1]
        np.testing.assert_allclose(found.values, 1.2 / (1 - 0.9999), rtol=1e-2)
