"""Optimistic Q-learning follows its update, and finds the far end of RiverSwim."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.environments import river_swim
from first_occupancy_paper.explorers.peers.optimistic_q import OptimisticQ
from first_occupancy_paper.explorers.peers.trials import run_trials


def test_optimistic_q_learning_begins_at_the_largest_value_and_follows_its_update():
    agent = OptimisticQ(bonus=0.3, horizon=2.0, discount=0.9)
    known = agent.start(2, 1, jnp.dtype("float32"))
    np.testing.assert_allclose(known.values, 10)
    known = agent.learn(known, 0, 0, 0.5, 1)  # the first rate is 1
    assert float(known.values[0, 0]) == pytest.approx(0.5 + 0.3 + 9)
    known = agent.learn(known, 0, 0, 0.5, 0)
    target = 0.5 + 0.3 / np.sqrt(2) + 0.9 * 9.8
    assert float(known.values[0, 0]) == pytest.approx(9.8 + 3 / 4 * (target - 9.8))


def test_it_finds_the_far_end_of_river_swim():
    """Sarsa, which does not explore, gets 0.7% of what the optimum gets."""
    with jax.enable_x64(True):
        rewards = run_trials(
            OptimisticQ(horizon=100.0, discount=0.9),
            [river_swim()] * 8,
            jax.random.key(3),
            num_steps=5_000,
        )
    assert np.asarray(rewards).sum(axis=1).mean() > 0.05 * 3_336_494
