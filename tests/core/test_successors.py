"""Walks through sparse worlds."""

import jax
import jax.numpy as jnp
import numpy as np

import first_occupancy as fo
from first_occupancy.core.successors import successors

ROWS = np.array([[[0.5, 0.25, 0.25], [0, 1, 0]], [[1, 0, 0], [0.2, 0.8, 0]], [[0, 0, 1]] * 2])
WORLD = fo.SparseMDP(ROWS, rewards=np.arange(6.0).reshape(3, 2))


def test_shares_of_drawn_states_are_the_probabilities():
    table = successors(WORLD)
    keys = jax.random.split(jax.random.key(0), 20_000)
    for state, action in ((0, 0), (1, 1), (2, 0)):
        drawn, paid = jax.vmap(lambda key, s=state, a=action: table.step(key, s, a))(keys)
        shares = np.bincount(drawn, minlength=3) / len(keys)
        np.testing.assert_allclose(shares, ROWS[state, action], atol=4 * 0.5 / np.sqrt(len(keys)))
        assert (shares[ROWS[state, action] == 0] == 0).all()
        assert (paid == WORLD.rewards[state, action]).all()


def test_rollouts_take_sparse_worlds():
    policy = jnp.full((3, 2), 0.5)
    walk = fo.rollout(WORLD, jax.random.key(1), policy, 0, num_steps=50)
    steps = zip(walk.states[:-1], walk.actions, walk.states[1:], strict=True)
    assert all(ROWS[s, a, t] > 0 for s, a, t in np.array(list(steps)))
    walks = fo.rollouts(WORLD, jax.random.key(1), policy, jnp.array([0, 2]), num_steps=5)
    assert walks.states.shape == (2, 6)
    assert (walks.states[1] == 2).all()
