"""Trials follow the key alone, and tell the largest reward."""

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.core import MDP
from first_occupancy.environments import river_swim
from first_occupancy_paper.explorers.peers.optimism import OptimisticPlanner
from first_occupancy_paper.explorers.peers.trials import _draw, run_trials


def test_trials_are_those_of_the_key_and_worlds_may_differ():
    agent = OptimisticPlanner(bonus=0.1)
    world = river_swim()
    poor = MDP(world.transition, world.reward / 2, world.start_distribution)
    both = run_trials(agent, [world, poor], jax.random.key(0), num_steps=200)
    again = run_trials(agent, [world, poor], jax.random.key(0), num_steps=200)
    np.testing.assert_array_equal(both, again)
    # The largest reward is told, so half of all rewards changes no action.
    same = run_trials(agent, [poor, poor], jax.random.key(0), num_steps=200)
    np.testing.assert_allclose(both[0] / 2, same[0])


def test_random_numbers_are_those_of_each_trial_and_stretch_by_itself():
    keys, dtype = jax.random.split(jax.random.key(1), 2), jnp.dtype(float)
    begin, walk, own_keys = _draw(keys, 3, 5, dtype)
    assert walk.shape == (2, 3, 5, 2)
    for trial, key in enumerate(keys):
        begin_key, walk_key = jax.random.split(key)
        assert begin[trial] == jax.random.uniform(begin_key, (), dtype)
        for number, stretch_key in enumerate(jax.random.split(walk_key, 3)):
            own_key, noise_key = jax.random.split(stretch_key)
            assert own_keys[trial, number] == own_key
            expected = jax.random.uniform(noise_key, (5, 2), dtype)
            np.testing.assert_array_equal(walk[trial, number], expected)
