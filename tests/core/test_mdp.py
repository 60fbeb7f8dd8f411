import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from first_occupancy.core import MDP, absorbing, chain, constant_policies
from strategies import distributions, transitions


@given(transitions())
def test_a_chain_mixes_the_actions_by_the_policy(transition):
    world = MDP(transition)
    size = world.num_states
    policy = distributions(np.random.default_rng(size), size, 2)
    expected = [
        [sum(policy[s, a] * transition[s, a, t] for a in range(2)) for t in range(size)]
        for s in range(size)
    ]
    np.testing.assert_allclose(chain(world, jnp.asarray(policy)), expected, rtol=1e-13)


@given(transitions())
def test_constant_policies_follow_one_action_each(transition):
    world = MDP(transition)
    policies = constant_policies(world)
    assert policies.shape == (2, world.num_states, 2)
    np.testing.assert_array_equal(chain(world, policies), np.moveaxis(transition, 1, 0))


def test_without_reward_and_start_nothing_pays_and_every_state_may_be_first():
    world = MDP(np.eye(4)[:, None, :])
    assert (world.num_states, world.num_actions) == (4, 1)
    np.testing.assert_array_equal(world.reward, np.zeros((4, 1, 4)))
    np.testing.assert_array_equal(world.start_distribution, np.full(4, 0.25))


@given(transitions())
def test_an_absorbing_goal_is_never_left_and_pays_on_arrival_only(transition):
    goal = transition.shape[0] - 1
    world = absorbing(MDP(transition), goal)
    np.testing.assert_array_equal(world.transition[:goal], transition[:goal])
    np.testing.assert_array_equal(world.transition[goal, :, goal], 1)
    for s, a, t in np.ndindex(*transition.shape):
        assert world.reward[s, a, t] == (t == goal and s != goal)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_a_world_has_one_dtype_whatever_it_is_made_of(dtype):
    transition = jnp.full((2, 1, 2), 0.5, dtype)
    world = MDP(transition, np.ones((2, 1, 2), np.float32), np.array([0.5, 0.5], np.float64))
    assert {world.transition.dtype, world.reward.dtype, world.start_distribution.dtype} == {
        jnp.dtype(dtype)
    }


def test_a_world_passes_through_jit_and_vmap_whole():
    tables = np.random.default_rng(0).dirichlet(np.ones(3), size=(5, 3, 2))
    worlds = jax.vmap(MDP)(jnp.asarray(tables))
    together = jax.jit(jax.vmap(chain))(worlds, jnp.full((5, 3, 2), 0.5))
    np.testing.assert_allclose(together, tables.mean(axis=2), rtol=1e-14)
