import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import first_occupancy as fo
from first_occupancy.core import MDP, constant_policies, rollout, rollouts, step
from first_occupancy.core.rollouts import successors
from first_occupancy.environments import river_swim, six_arms


def random_world(seed, size=4, num_actions=2):
    rng = np.random.default_rng(seed)
    return MDP(
        rng.dirichlet(np.ones(size), size=(size, num_actions)),
        rng.normal(size=(size, num_actions, size)),
        rng.dirichlet(np.ones(size)),
    )


def assert_drawn_from(draws, probabilities):
    counts = np.bincount(draws, minlength=len(probabilities))
    possible = np.asarray(probabilities) > 0
    assert counts[~possible].sum() == 0
    if possible.sum() > 1:
        expected = len(draws) * np.asarray(probabilities)[possible]
        assert chisquare(counts[possible], expected).pvalue > 1e-4


@pytest.mark.parametrize(("state", "action"), [(0, 0), (3, 0), (3, 1), (5, 0)])
def test_steps_follow_the_transition_probabilities(state, action):
    world = river_swim()
    keys = jax.random.split(jax.random.key(1), 5000)
    draws, rewards = jax.vmap(lambda key: step(world, key, state, action))(keys)
    assert_drawn_from(draws, world.transition[state, action])
    np.testing.assert_array_equal(rewards, world.reward[state, action][draws])


def test_a_rollout_draws_actions_from_the_policy_and_is_paid_by_the_world():
    world = random_world(1)
    policy = jnp.array([[0.2, 0.8], [1.0, 0.0], [0.5, 0.5], [0.9, 0.1]])
    walk = rollout(world, jax.random.key(3), policy, 2, num_steps=8000)
    states, actions = np.asarray(walk.states), np.asarray(walk.actions)
    assert (states.shape, actions.shape, walk.rewards.shape) == ((8001,), (8000,), (8000,))
    assert states[0] == 2
    for state in range(4):
        assert_drawn_from(actions[states[:-1] == state], policy[state])
        for action in (0, 1):
            came = states[1:][(states[:-1] == state) & (actions == action)]
            if policy[state, action] > 0:
                assert_drawn_from(came, world.transition[state, action])
    paid = np.asarray(world.reward)[states[:-1], actions, states[1:]]
    np.testing.assert_array_equal(walk.rewards, paid)


def test_the_same_key_gives_the_same_walk_and_another_key_another():
    world, policy = random_world(2), jnp.full((4, 2), 0.5)
    first, again = (rollout(world, jax.random.key(7), policy, 0, num_steps=50) for _ in range(2))
    other = rollout(world, jax.random.key(8), policy, 0, num_steps=50)
    np.testing.assert_array_equal(first.states, again.states)
    assert (first.states != other.states).any()


def test_a_batch_holds_one_rollout_per_start_each_with_its_own_key():
    world, policy = random_world(3), jnp.full((4, 2), 0.5)
    starts = jnp.array([0, 1, 2, 3, 3])
    batch = rollouts(world, jax.random.key(4), policy, starts, num_steps=30)
    assert batch.states.shape == (5, 31)
    assert batch.actions.shape == batch.rewards.shape == (5, 30)
    keys = jax.random.split(jax.random.key(4), 5)
    for walk, (key, start) in enumerate(zip(keys, starts, strict=True)):
        single = rollout(world, key, policy, start, num_steps=30)
        np.testing.assert_array_equal(batch.states[walk], single.states)
        np.testing.assert_array_equal(batch.actions[walk], single.actions)


def test_walks_of_a_batch_are_independent():
    world = MDP(np.full((2, 1, 2), 0.5))
    states = rollouts(
        world, jax.random.key(5), jnp.ones((2, 1)), jnp.zeros(2000, dtype=int), num_steps=3
    ).states
    one, next_one = np.asarray(states[:-1, 1:]).ravel(), np.asarray(states[1:, 1:]).ravel()
    assert abs(np.corrcoef(one, next_one)[0, 1]) < 5 / np.sqrt(len(one))


def test_jit_and_vmap_leave_a_rollout_as_it_is():
    world, policy = random_world(4), jnp.full((4, 2), 0.5)
    keys = jax.random.split(jax.random.key(6), 2)

    def walk(key):
        return rollout(world, key, policy, 1, num_steps=3).states

    with jax.disable_jit():
        plain = [walk(key) for key in keys]
    np.testing.assert_array_equal([walk(key) for key in keys], plain)
    np.testing.assert_array_equal(jax.vmap(walk)(keys), plain)


def test_a_deterministic_world_is_walked_as_it_must_be():
    world = six_arms()
    stay_in_arm_one = constant_policies(world)[0]
    walk = rollout(world, jax.random.key(0), stay_in_arm_one, 0, num_steps=4)
    assert walk.states.tolist() == [0, 1, 1, 1, 1]
    assert walk.rewards.tolist() == [0, 50, 50, 50]


ROWS = np.array([[[0.5, 0.25, 0.25], [0, 1, 0]], [[1, 0, 0], [0.2, 0.8, 0]], [[0, 0, 1]] * 2])
SPARSE = fo.SparseMDP(ROWS, rewards=np.arange(6.0).reshape(3, 2))


def test_shares_of_drawn_states_are_the_probabilities():
    table = successors(SPARSE)
    keys = jax.random.split(jax.random.key(0), 20_000)
    for state, action in ((0, 0), (1, 1), (2, 0)):
        drawn, paid = jax.vmap(lambda key, s=state, a=action: table.step(key, s, a))(keys)
        shares = np.bincount(drawn, minlength=3) / len(keys)
        np.testing.assert_allclose(shares, ROWS[state, action], atol=4 * 0.5 / np.sqrt(len(keys)))
        assert (shares[ROWS[state, action] == 0] == 0).all()
        assert (paid == SPARSE.rewards[state, action]).all()


def test_rollouts_take_sparse_worlds():
    policy = jnp.full((3, 2), 0.5)
    walk = fo.rollout(SPARSE, jax.random.key(1), policy, 0, num_steps=50)
    steps = zip(walk.states[:-1], walk.actions, walk.states[1:], strict=True)
    assert all(ROWS[s, a, t] > 0 for s, a, t in np.array(list(steps)))
    walks = fo.rollouts(SPARSE, jax.random.key(1), policy, jnp.array([0, 2]), num_steps=5)
    assert walks.states.shape == (2, 6)
    assert (walks.states[1] == 2).all()
