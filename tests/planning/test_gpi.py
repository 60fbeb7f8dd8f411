"""Generalised policy improvement: the best base policy, state by state or for all starts."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import chain, constant_policies
from first_occupancy.planning import gpi
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.representations import first_occupancy, successor
from oracles import fr_by_linear_solves
from strategies import distributions, random_world

DISCOUNT = 0.9


@pytest.mark.parametrize("seed", range(3))
def test_choosing_a_policy_for_one_goal_is_planning_without_switches(seed):
    stack = jnp.asarray(distributions(np.random.default_rng(seed), 3, 6, 6))
    frs = first_occupancy.solve(stack, discount=DISCOUNT)
    for goal in range(6):
        plan = plan_to_goal(frs, goal, max_switches=0)
        chosen = gpi.choose_policy(frs, jnp.eye(6)[goal])
        follows = np.asarray(plan.policy >= 0)
        assert follows.any()
        assert np.asarray(chosen)[follows].tolist() == np.asarray(plan.policy)[follows].tolist()


def test_choosing_a_policy_takes_the_best_expected_reward():
    frs = jnp.array([[[1.0, 0.5], [0.1, 1.0]], [[1.0, 0.6], [0.0, 1.0]]])
    assert gpi.choose_policy(frs, jnp.array([1.0, 1.0])).tolist() == [1, 0]
    assert gpi.choose_policy(frs, jnp.array([-1.0, 1.0])).tolist() == [1, 1]


@pytest.mark.parametrize("seed", range(5))
def test_gpi_with_srs_is_at_least_as_good_as_every_base_policy(seed):
    world = random_world(seed, size=5, num_actions=3)
    reward = jnp.asarray(np.random.default_rng(seed).normal(size=5))
    base = constant_policies(world)
    srs = jnp.stack(
        [
            successor.state_action.solve(world.transition, policy, discount=DISCOUNT)
            for policy in base
        ]
    )
    actions = gpi.choose_action(srs, reward)
    improved = np.asarray(world.transition)[np.arange(5), actions]

    def worth(matrix):
        return np.linalg.solve(np.eye(5) - DISCOUNT * np.asarray(matrix), np.asarray(reward))

    each = np.stack([worth(followed) for followed in chain(world, base)])
    assert (worth(improved) >= each.max(axis=0) - 1e-12).all()
    assert (worth(improved) > each.max(axis=0) + 1e-3).any()


def test_the_set_max_policy_is_the_best_on_average_over_starts():
    stack = np.random.default_rng(2).dirichlet(np.ones(4), size=(3, 4))
    frs = first_occupancy.solve(jnp.asarray(stack), discount=DISCOUNT)
    exact = np.stack([fr_by_linear_solves(matrix, DISCOUNT) for matrix in stack])
    chosen = set()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        reward, start = rng.normal(size=4), rng.dirichlet(np.ones(4))
        expected = int(np.argmax([start @ fr @ reward for fr in exact]))
        assert gpi.set_max(frs, jnp.asarray(reward), jnp.asarray(start)) == expected
        chosen.add(expected)
    assert len(chosen) > 1


def test_half_precision_is_compared_in_single():
    """The second policy is better by a thousandth, less than half precision can tell."""
    reps = jnp.array([[[1, 0.5], [0, 1]], [[1, 0.5 + 2**-11], [0, 1]]], jnp.float16)
    reward = jnp.array([0.5, 1.0], jnp.float16)
    np.testing.assert_array_equal(gpi.choose_policy(reps, reward), [1, 0])
    assert gpi.set_max(reps, reward, jnp.array([1.0, 0.0], jnp.float16)) == 1
