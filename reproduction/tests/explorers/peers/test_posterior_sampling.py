"""PSRL draws worlds around the data, and finds the far end of RiverSwim."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.environments import river_swim
from first_occupancy_paper.explorers.peers.posterior_sampling import PosteriorSampler
from first_occupancy_paper.explorers.peers.trials import run_trials


def test_psrl_samples_around_the_data_and_ever_closer():
    agent = PosteriorSampler(prior=1.0, spread=0.0, discount=0.5)
    keys = jax.random.split(jax.random.key(0), 200)

    def sampled(tries):
        start = agent.start(2, 1, jnp.dtype("float32"))
        counts = jnp.array([[[0.75, 0.25], [0.0, 1.0]]]) * tries
        rewards = jnp.array([[0.0, 1.0]]) * tries
        model = type(start.model)(
            counts.astype("float32"), rewards.astype("float32"), start.model.values
        )
        samples = jax.vmap(lambda key: agent.reconsider(type(start)(model, start.policy), key))(
            keys
        )
        return np.asarray(samples.model.values[:, 0])

    few, many = sampled(4.0), sampled(4000.0)
    # Value of state 0: v = .5 (.75 v + .25 * 2), so v = .4.
    assert many.mean() == pytest.approx(0.4, abs=0.01)
    assert many.std() < 0.2 * few.std()


def test_it_finds_the_far_end_of_river_swim():
    """Sarsa, which does not explore, gets 0.7% of what the optimum gets."""
    with jax.enable_x64(True):
        rewards = run_trials(
            PosteriorSampler(), [river_swim()] * 8, jax.random.key(3), num_steps=5_000
        )
    assert np.asarray(rewards).sum(axis=1).mean() > 0.7 * 3_336_494
