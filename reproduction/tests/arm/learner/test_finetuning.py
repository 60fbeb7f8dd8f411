"""Tasks, fits of them to rewards, and what fine-tuning takes along."""

from functools import partial

import equinox as eqx
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
    remember,
    some_window,
)
from first_occupancy_paper.arm.learner import finetuning, task_vectors
from first_occupancy_paper.arm.learner.agent_state import AgentConfig, networks_of
from first_occupancy_paper.arm.training import lockstep


def renewed_at(step, drawn, first, keys):
    def renew(tasks, first, key):
        return task_vectors.renew(CONFIG, tasks, first, step, key)

    return jax.vmap(renew)(drawn, first, keys)


def test_tasks_have_length_one_and_are_renewed_in_time():
    keys = jax.random.split(jax.random.key(0), 2)
    drawn = jax.vmap(lambda key: task_vectors.draw(CONFIG, key, 3))(keys)
    np.testing.assert_allclose(jnp.linalg.norm(drawn, axis=-1), 1)
    first = jnp.array([[True, False, False], [False, False, True]])
    later = jax.random.split(jax.random.key(1), 2)
    kept = renewed_at(7, drawn, first, later)
    np.testing.assert_array_equal((kept == drawn).all(axis=-1), ~first)
    renewed = renewed_at(10, drawn, first, later)
    assert not (renewed == drawn).all(axis=-1).any()


def test_fits_of_tasks():
    random = np.random.default_rng(0)
    features, rewards = random.normal(size=(40, 4)), random.normal(size=40)
    features[:, 3] += 5 * features[:, 0]
    ours = task_vectors.least_squares(jnp.asarray(features), jnp.asarray(rewards))
    expected = np.linalg.solve(features.T @ features, features.T @ rewards)
    np.testing.assert_allclose(ours, expected)
    swapped = task_vectors.swapped_least_squares(jnp.asarray(features), jnp.asarray(rewards))
    np.testing.assert_allclose(swapped, features.T @ rewards / (rewards @ rewards))
    # It is the fit of features by rewards.
    np.testing.assert_allclose(swapped, np.linalg.lstsq(rewards[:, None], features)[0][0])
    unpaid = task_vectors.swapped_least_squares(jnp.asarray(features), jnp.zeros(40))
    np.testing.assert_array_equal(unpaid, 0)


@pytest.mark.parametrize("way", [finetuning.fit_task, finetuning.fit_task_as_published])
def test_a_windows_task(way):
    config = AgentConfig("apf", **SMALL | {"batch": 50}, neighbours=3)
    learner, window = begin(CONFIG), some_window(config)
    ours = jax.jit(partial(way, config))(learner, window)
    net, seen = as_numpy(learner.features), as_numpy(window)
    if way is finetuning.fit_task:
        features = plain.unit(plain.features(net, seen.next_observations[:, 0]))
        expected = np.linalg.lstsq(features, seen.rewards[:, 0])[0]
    else:
        features = plain.unit(plain.features(net, seen.observation))
        factors = np.cumprod(np.hstack([np.ones((50, 1)), seen.discounts[:, :-1]]), axis=1)
        expected = features.T @ (factors * seen.rewards).sum(axis=1)
    np.testing.assert_allclose(ours, plain.unit(expected), atol=1e-9)


def test_what_is_handed_over():
    keys = jax.random.split(jax.random.key(7), 2)
    learner = lockstep.init(CONFIG, jax.random.split(jax.random.key(8), 2))
    learner = jax.tree.map(lambda x: x + 1, learner)
    ahead = jax.tree.map(lambda x: x + 1, learner.critic)
    learner = eqx.tree_at(lambda each: each.critic, learner, ahead)
    pretrained = networks_of(learner)
    whole = lockstep.hand_over(CONFIG, pretrained, keys)
    parts = lockstep.hand_over(CONFIG, pretrained, keys, way=finetuning.hand_over_as_published)
    fresh = lockstep.init(CONFIG, keys)
    same = partial(jax.tree.map, np.testing.assert_array_equal)
    for name in ("actor", "critic", "target_critic", "features"):
        same(getattr(whole, name), getattr(learner, name))
    same(parts.actor, learner.actor)
    same(parts.critic.trunk, learner.critic.trunk)
    same(parts.critic.hidden, fresh.critic.hidden)
    same(parts.critic.output_weight, fresh.critic.output_weight)
    same(parts.target_critic, fresh.target_critic)
    same(parts.features, fresh.features)
    for after in (whole, parts):
        same(after.critic_moments, fresh.critic_moments)
        same(after.distance, fresh.distance)


def test_tasks_fitted_from_replays_fit():
    """Where rewards are features along a direction, the fit finds it, in every run."""
    keys = jax.random.split(jax.random.key(4), 2)
    learner, memory = lockstep.init(CONFIG, keys), remember(CONFIG, 2, 30)
    directions = task_vectors.unit(jax.random.normal(jax.random.key(1), (2, CONFIG.num_features)))
    seen = memory.rows[:, 0, :, : CONFIG.observation_size]
    features = jax.vmap(lambda net, x: task_vectors.unit(net(x, CONFIG.dtype)))(
        learner.features, seen
    )
    paid = jnp.einsum("rcd,rd->rc", features, directions)
    memory = eqx.tree_at(lambda m: m.rows, memory, memory.rows.at[:, 0, :, -3].set(paid))
    fitted = lockstep.fit_tasks(CONFIG, learner, memory, keys, num_windows=64)
    np.testing.assert_allclose(fitted, directions, atol=1e-8)
