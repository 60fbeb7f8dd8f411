"""DDPG: parts by hand and against plain NumPy, and runs in company."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import plain_networks as plain
from cases import (
    CONFIG,
    SMALL,
    as_numpy,
    begin,
    bootstrap_by_hand,
    jitted,
    remember,
    some_noise,
    some_window,
)
from first_occupancy.core import InputError
from first_occupancy_paper.arm.learner import (
    adam,
    agent_networks,
    ddpg,
    layers,
    pretraining,
    replay,
)
from first_occupancy_paper.arm.learner.agent_state import AgentConfig
from first_occupancy_paper.arm.learner.replay import Window
from first_occupancy_paper.arm.training import lockstep


def actor_loss_by_hand(config, critic, window, noise, weights, base):
    """Return the loss as a function of the actor; clipping is as at `base`, without gradient."""
    mean = plain.actor(base, window.observation, window.task)
    moved = mean + np.clip(config.noise * noise, -config.noise_clip, config.noise_clip)
    shift = np.clip(moved, -1, 1) - mean

    def loss(actor):
        action = plain.actor(actor, window.observation, window.task) + shift
        outputs = plain.critic(critic, window.observation, window.task, action)
        return -np.einsum("bth,bh->bt", outputs, weights).min(axis=1).mean()

    return loss


def test_layers_begin_orthogonal_and_without_bias():
    keys = jax.random.split(jax.random.key(0), 2)
    learner = jax.tree.map(lambda x: x[0], lockstep.init(CONFIG, keys))
    width = CONFIG.width
    weights = [
        learner.actor.trunk.dense.weight,
        learner.actor.hidden.weight,
        learner.actor.output.weight,
        learner.critic.trunk.dense.weight,
        learner.critic.hidden.weight[:, :width],
        learner.critic.hidden.weight[:, width:],
        *learner.critic.output_weight,
        learner.features.first.weight,
        learner.features.hidden.weight,
        learner.features.output.weight,
    ]
    for weight in map(np.asarray, weights):
        fewer = weight if weight.shape[0] <= weight.shape[1] else weight.T
        np.testing.assert_allclose(fewer @ fewer.T, np.eye(len(fewer)), atol=1e-12)
    assert not np.allclose(weights[4], weights[5])
    biases = [learner.actor.hidden.bias, learner.critic.hidden.bias, learner.critic.output_bias]
    assert all(not bias.any() for bias in biases)
    jax.tree.map(np.testing.assert_array_equal, learner.critic, learner.target_critic)


def test_orthogonal_matrices_have_no_favourite_sign():
    keys = jax.random.split(jax.random.key(1), 400)
    drawn = jax.jit(jax.vmap(lambda key: agent_networks.orthogonal(key, [(3, 3)])[0]))(keys)
    # Entries of a uniform orthogonal 3 x 3 matrix have mean 0 and variance 1/3.
    assert np.all(np.abs(drawn.mean(axis=0)) < 4 * np.sqrt(1 / 3 / 400))
    np.testing.assert_allclose((drawn**2).mean(axis=0), 1 / 3, atol=0.08)


def test_adam_matches_a_plain_loop():
    random = np.random.default_rng(0)
    start, gradients = random.normal(size=3), random.normal(size=(5, 3))
    network, moments = jnp.asarray(start), adam.init(jnp.asarray(start))
    parameter, mean, square = start.copy(), np.zeros(3), np.zeros(3)
    for time, gradient in enumerate(gradients, start=1):
        network, moments = adam.descend(network, jnp.asarray(gradient), moments, step_size=0.01)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        step = (mean / (1 - 0.9**time)) / (np.sqrt(square / (1 - 0.999**time)) + 1e-8)
        parameter -= 0.01 * step
    np.testing.assert_allclose(network, parameter, rtol=1e-12)


def test_returns_by_hand():
    """Three rewards 1, 2, 4 at .5; the second window ends after two steps, the third for good."""
    window = some_window(CONFIG)
    rewards = jnp.array([[1.0, 2, 4], [1, 2, 0], [1, 2, 4]])
    discounts = jnp.array([[0.5, 0.5, 0.5], [0.5, 0.5, 1], [0.5, 0.5, 0]])
    parts = [getattr(window, name)[:3] for name in ("observation", "action", "task")]
    ends = (window.inside[:3], window.next_observations[:3])
    sums, following = ddpg.returns(Window(*parts, rewards, discounts, *ends))
    np.testing.assert_allclose(sums, [3, 2, 3])
    np.testing.assert_allclose(following, [0.125, 0.25, 0])


def test_values_and_the_more_careful_twin_by_hand():
    outputs = jnp.array([[[1.0, 2.0], [3.0, -1.0]], [[0.0, 1.0], [2.0, 2.0]]])
    weights = jnp.array([[1.0, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(ddpg.values(outputs, weights), [[3, 2], [1, 4]])
    np.testing.assert_allclose(ddpg.smaller(outputs, weights), [[3, -1], [0, 1]])


def test_readout_of_each_agent():
    task = jnp.array([[0.6, 0.8]])
    expected = {"ddpg": [[1]], "aps": [[0.6, 0.8]], "apf_printed": [[0.6, 0.8]]}
    expected |= {"apf": [[0.6, 0.8, 1]], "apf_exact": [[0.6, 0.8, 1]]}
    for agent, weights in expected.items():
        config = AgentConfig(agent, num_features=2)
        given = task if config.has_features else task[:, :0]
        np.testing.assert_allclose(ddpg.readout(config, given), weights)


def test_noise_is_clipped_and_lets_gradients_through():
    action, noise = jnp.array([[0.0, 0.9, -0.5]]), jnp.array([[9.0, 1.0, -0.5]])
    moved = ddpg.with_noise(CONFIG, action, noise)
    np.testing.assert_allclose(moved, [[0.3, 1.0, -0.6]])
    slope = jax.grad(lambda a: ddpg.with_noise(CONFIG, a, noise).sum())(action)
    np.testing.assert_allclose(slope, 1)


@pytest.mark.parametrize("agent", ["ddpg", "apf"])
def test_one_update_matches_plain_networks(agent):
    """Adam's first moment holds a tenth of the gradient; losses are written again in NumPy."""
    config = AgentConfig(agent, **SMALL, neighbours=3)
    learner, window, noise = begin(config), some_window(config), some_noise(config)
    after, metrics = jitted(ddpg.update, config)(learner, window, noise)
    before, after, seen, noise = map(as_numpy, (learner, after, window, noise))
    ones = np.ones((config.batch, 1))
    weights = ones if agent == "ddpg" else np.hstack([seen.task, ones])
    factors = np.cumprod(np.hstack([ones, seen.discounts[:, :-1]]), axis=1)
    ahead = bootstrap_by_hand(config, before, seen, noise[0], weights)
    target = (factors * seen.rewards).sum(axis=1)
    target += seen.discounts.prod(axis=1) * (ahead * weights).sum(axis=1)

    def critic_loss(critic):
        outputs = plain.critic(critic, seen.observation, seen.task, seen.action)
        errors = np.einsum("bth,bh->bt", outputs, weights) - target[:, None]
        return (errors**2).sum(axis=1).mean()

    np.testing.assert_allclose(metrics.critic_loss, critic_loss(before.critic))
    np.testing.assert_allclose(metrics.target, target.mean())
    np.testing.assert_allclose(metrics.largest_target, np.abs(target).max())
    gradient = jax.tree.map(lambda m: 10 * m, after.critic_moments.mean)
    plain.assert_gradient(gradient, critic_loss, before.critic)
    loss = actor_loss_by_hand(config, after.critic, seen, noise[1], weights, before.actor)
    np.testing.assert_allclose(metrics.value, -loss(before.actor))
    gradient = jax.tree.map(lambda m: 10 * m, after.actor_moments.mean)
    plain.assert_gradient(gradient, loss, before.actor)
    jax.tree.map(
        lambda old, new, moved: np.testing.assert_allclose(moved, 0.99 * old + 0.01 * new),
        before.target_critic,
        after.critic,
        after.target_critic,
    )


def test_bfloat16_is_close():
    """Rounding by 2^-9 in three places; on the way back also some kinks are taken wrongly."""
    keys = jax.random.split(jax.random.key(0), 2)
    critic = jax.jit(lambda key: agent_networks.critic(key, 9, 64, 4))(keys[0])
    inputs = jax.random.normal(keys[1], (3, 200, 3))

    @partial(jax.jit, static_argnums=0)
    def outputs_and_slope(dtype):
        outputs, pull_back = jax.vjp(lambda net: net(*inputs, dtype), critic)
        return outputs, pull_back(outputs)[0]

    exact, rounded = outputs_and_slope(jnp.float64), outputs_and_slope(jnp.bfloat16)
    for x, y in zip(jax.tree.leaves(exact), jax.tree.leaves(rounded), strict=True):
        assert x.dtype == y.dtype
        assert 1e-5 < float(jnp.linalg.norm(x - y) / jnp.linalg.norm(x)) < 0.04


def test_bfloat16_sees_small_differences_of_observations():
    """What the first layer is given is not rounded: 1 + 2^-12 less 1 is 2^-12, not 0."""
    layer = layers.Dense(jnp.array([[1.0], [-1.0]]), jnp.zeros(1))
    for scale in (1.0, 300.0):
        seen = scale * jnp.array([[1 + 2.0**-12, 1.0]])
        outputs = layers.rectified(layer, seen, jnp.bfloat16)
        np.testing.assert_allclose(outputs.astype(float), [[scale * 2.0**-12]], rtol=2**-4)


def test_runs_do_the_same_alone_and_in_company():
    """Two runs of three updates in one call, against one run, update by update."""
    keys = jax.random.split(jax.random.key(4), 2)
    memory, begun = remember(CONFIG, 2, 30), lockstep.init(CONFIG, keys)
    alone = jax.tree.map(lambda x: jnp.copy(x[1]), begun)
    together, metrics = lockstep.learn(
        pretraining.update, CONFIG, begun, memory, keys, num_updates=3
    )
    draw_key, noise_key = jax.random.split(keys[1])
    noise = jax.random.normal(noise_key, (3, 2, CONFIG.batch, CONFIG.action_size))
    draw = jax.jit(partial(replay.sample, CONFIG, batch=CONFIG.batch))
    losses = []
    for key, each in zip(jax.random.split(draw_key, 3), noise, strict=True):
        window = draw(jax.tree.map(lambda x: x[1], memory), key)
        alone, one = jitted(pretraining.update, CONFIG)(alone, window, each)
        losses.append(float(one.critic_loss))
    jax.tree.map(
        lambda x, y: np.testing.assert_allclose(x[1], y, rtol=1e-8, atol=1e-12), together, alone
    )
    np.testing.assert_allclose(metrics.critic_loss[1], np.mean(losses))
    assert not np.allclose(together.actor.hidden.weight[0], together.actor.hidden.weight[1])


def test_ways_to_act():
    keys = jax.random.split(jax.random.key(0), 2)
    learner = lockstep.init(CONFIG, keys)
    seen, tasks = jnp.ones((2, 50, 3)), jnp.ones((2, 50, 4))
    best = lockstep.act(CONFIG, learner.actor, seen, tasks)
    np.testing.assert_allclose(best, np.broadcast_to(best[:, :1], best.shape))
    noisy = np.asarray(lockstep.act(CONFIG, learner.actor, seen, tasks, keys))
    assert np.abs(noisy).max() <= 1
    inner = np.abs(np.asarray(best)) < 0.4
    assert 0.15 < (noisy - best)[inner].std() < 0.25
    drawn = np.asarray(lockstep.act_at_random(CONFIG, keys, num_environments=50))
    assert drawn.shape == (2, 50, 2)
    assert -1 <= drawn.min() < -0.9 < 0.9 < drawn.max() <= 1


def config_with(**settings):
    return lambda: AgentConfig(**settings)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            config_with(agent="sac"),
            "AgentConfig: agent must be one of ddpg, aps, apf, apf_exact, apf_printed, got 'sac'",
        ),
        (
            config_with(precision="float16"),
            "AgentConfig: precision must be one of float32, tensorfloat32, bfloat16, got 'float16'",
        ),
        (config_with(width=0), "AgentConfig: width must be at least 1, got 0"),
        (config_with(noise=-0.1), "AgentConfig: noise must be at least 0, got -0.1"),
        (
            config_with(target_rate=2.0),
            "AgentConfig: target_rate must be at least 0 and at most 1, got 2.0",
        ),
        (
            config_with(discount=1.0),
            "AgentConfig: discount must be at least 0 and below 1, got 1.0",
        ),
        (config_with(neighbours=1), "AgentConfig: neighbours must be at least 2, got 1"),
        (
            config_with(batch=8),
            "AgentConfig: neighbours must be at most the batch of 8, got 12",
        ),
    ],
)
def test_impossible_settings_are_refused(call, text, as_users_run_it):
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == text
