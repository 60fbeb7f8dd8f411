"""PPO: advantages, likelihoods and moments against oracles; and it learns."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from first_occupancy_paper.walkers import ppo


def random_steps(rng, times=7, worlds=3, observations=4, actions=2):
    cut = rng.random((times, worlds)) < 0.3
    terminated = cut & (rng.random((times, worlds)) < 0.5)
    seen, arrived = rng.normal(size=(2, times, worlds, observations)).astype(np.float32)
    acts = rng.normal(size=(times, worlds, actions)).astype(np.float32)
    rewards = rng.normal(size=(times, worlds)).astype(np.float32)
    return ppo.Steps(*map(jnp.asarray, (seen, acts, rewards, arrived, terminated, cut)))


def test_advantages_are_sums_of_discounted_surprises_up_to_a_cut():
    rng = np.random.default_rng(0)
    steps = random_steps(rng)
    values, ahead = rng.normal(size=(2, 7, 3)).astype(np.float32)
    found = ppo.advantages(steps, jnp.asarray(values), jnp.asarray(ahead), discount=0.9, trace=0.8)
    for world in range(3):
        for start in range(7):
            wanted, weight = 0.0, 1.0
            for time in range(start, 7):
                there = 0 if steps.terminated[time, world] else ahead[time, world]
                surprise = 0.1 * steps.rewards[time, world] + 0.9 * there - values[time, world]
                wanted += weight * surprise
                weight *= 0.9 * 0.8
                if steps.cut[time, world]:
                    break
            assert np.isclose(found[start, world], wanted, atol=1e-5)


def test_with_trace_1_values_do_not_matter_within_an_episode_that_terminates():
    rng = np.random.default_rng(1)
    steps = random_steps(rng)
    ended = steps._replace(
        terminated=jnp.zeros((7, 3), bool).at[-1].set(True),
        cut=jnp.zeros((7, 3), bool).at[-1].set(True),
    )
    values = jnp.asarray(rng.normal(size=(8, 3)).astype(np.float32))
    gains = ppo.advantages(ended, values[:-1], values[1:], discount=0.9, trace=1.0)
    returns = sum(0.1 * 0.9**time * ended.rewards[time] for time in range(7))
    assert np.allclose(gains[0] + values[0], returns, atol=1e-5)


def test_likelihoods_are_gaussian():
    state = ppo.init(jax.random.key(0), 4, 2, width=8)
    steps = random_steps(np.random.default_rng(2))
    means = jax.vmap(jax.vmap(state.networks.mean))(steps.observations)
    deviation = np.exp(np.asarray(state.networks.log_std))
    wanted = norm.logpdf(steps.actions, means, deviation).sum(axis=-1)
    found = ppo.log_likelihoods(state.networks, steps.observations, steps.actions)
    assert np.allclose(found, wanted + np.log(2 * np.pi), atol=1e-4)


def test_moments_are_those_of_all_observations():
    rng = np.random.default_rng(3)
    parts = [jnp.asarray(rng.normal(2, 3, size=(size, 5, 4)), jnp.float32) for size in (3, 10, 6)]
    scaling = ppo.init(jax.random.key(0), 4, 2, width=8).scaling
    for part in parts:
        scaling = ppo.observed(scaling, part)
    flat = np.concatenate(parts).reshape(-1, 4)
    assert np.allclose(scaling.mean, flat.mean(axis=0), atol=1e-3)
    assert np.allclose(scaling.variance, flat.var(axis=0), rtol=1e-3)


def test_actions_are_drawn_around_the_mean():
    state = ppo.init(jax.random.key(0), 4, 2, width=8)
    seen = jnp.ones((4000, 4))
    drawn = ppo.act(state, seen, jax.random.key(1))
    deviation = np.exp(ppo.FIRST_LOG_STD)
    mean = state.networks.mean(state.scaling(seen[0]))
    assert np.allclose(drawn.mean(axis=0), mean, atol=5 * deviation / 4000**0.5)
    assert np.allclose(drawn.std(axis=0), deviation, rtol=0.06)


def test_the_policy_moves_little_and_the_rate_follows(monkeypatch):
    steps = random_steps(np.random.default_rng(4), times=16, worlds=16)
    state = ppo.init(jax.random.key(0), 4, 2, width=16)
    steps = steps._replace(actions=jax.vmap(lambda seen, key: ppo.act(state, seen, key))(
        steps.observations, jax.random.split(jax.random.key(2), 16)))  # fmt: skip
    after, report = ppo.update(state, steps, jax.random.key(3))
    assert 0 < float(report["kl"]) < 10 * ppo.TARGET_KL
    # Other numbers of minibatches are compiled anew, so that the changed constant counts.
    for target, larger, minibatches in ((1e-9, False, 5), (1e3, True, 6)):
        monkeypatch.setattr(ppo, "TARGET_KL", target)
        sizes = {"epochs": 1, "minibatches": minibatches}
        after, _ = ppo.update(state, steps, jax.random.key(3), **sizes)
        assert (float(after.rate) > float(state.rate)) is larger


def test_too_few_steps_are_refused(error_of):
    steps = random_steps(np.random.default_rng(4), times=1, worlds=4)
    state = ppo.init(jax.random.key(0), 4, 2, width=8)
    message = "update: needs at least 8 steps, one for each minibatch, got 4"
    assert error_of(lambda: ppo.update(state, steps, jax.random.key(0))) == message


@pytest.mark.whole
def test_it_learns_what_is_rewarded():
    """A world without dynamics: an action is rewarded for being near a function of what is seen."""
    key = jax.random.key(0)
    state = ppo.init(key, 2, 1, width=32)
    rewards = []
    for _ in range(40):
        key, first, second, third = jax.random.split(key, 4)
        seen = jax.random.normal(first, (16, 64, 2))
        flat = ppo.act(state, seen.reshape(-1, 2), second)
        actions = flat.reshape(16, 64, 1)
        reward = -((actions[..., 0] - jnp.sin(seen[..., 0])) ** 2)
        ends = jnp.ones((16, 64), bool)
        state, _ = ppo.update(
            state, ppo.Steps(seen, actions, reward, seen, ends, ends), third, entropy=0.0
        )
        rewards.append(float(reward.mean()))
    assert rewards[0] < -0.6
    assert np.mean(rewards[-3:]) > -0.25
