"""The proof that the learner learns: Pendulum, which Gymnasium defines and others have solved."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pendulum
from first_occupancy_paper.arm.learner.agent_state import AgentConfig
from first_occupancy_paper.arm.training import lockstep


def test_our_pendulum_is_gymnasiums():
    environment = gymnasium.make("Pendulum-v1").unwrapped
    random = np.random.default_rng(0)
    for episode in range(2):
        observation, _ = environment.reset(seed=episode)
        state = tuple(jnp.asarray(environment.state)[:, None])
        for _ in range(pendulum.EPISODE):
            torque = random.uniform(-3, 3, size=1)
            observation, reward, *_ = environment.step(torque)
            state, ours = pendulum.step(state, jnp.asarray(torque))
            np.testing.assert_allclose(ours[0], reward, rtol=1e-9)
            np.testing.assert_allclose(jnp.stack(state)[:, 0], environment.state, rtol=1e-9)
            np.testing.assert_allclose(pendulum.observe(state)[0], observation, atol=1e-6)


@pytest.mark.whole
def test_ddpg_learns_pendulum():
    """Random play returns -1,200, good play -150; three of four seeds must beat -250.

    6,400 steps and 2,400 updates of a width of 32: the mean over 20 episodes without noise. Of
    20 seeds tried, one ended with its tanh saturated, which is DDPG's own weakness.
    """
    with jax.enable_x64(False):
        config = AgentConfig(
            "ddpg",
            observation_size=3,
            action_size=1,
            width=32,
            batch=128,
            discount=0.98,
            learning_rate=2e-3,
            target_rate=0.02,
        )
        keys = jax.random.split(jax.random.key(0), 4)
        learner = pendulum.train(config, keys, shape=(4, 8), episodes=4, updates=4)
        returns = pendulum.evaluate(config, learner, jax.random.key(1), shape=(4, 20))
        before = pendulum.evaluate(
            config, lockstep.init(config, keys), jax.random.key(1), shape=(4, 20)
        )
    assert float(before.mean()) < -800
    assert np.sort(returns.mean(axis=1))[1] > -250
