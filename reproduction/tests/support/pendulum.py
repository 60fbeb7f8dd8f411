"""Gymnasium's Pendulum-v1 as pure functions, for many pendulums at once, and DDPG on it."""

from functools import partial

import jax
import jax.numpy as jnp

from first_occupancy_paper.arm.learner import ddpg
from first_occupancy_paper.arm.learner.replay import Arrival
from first_occupancy_paper.arm.training import lockstep

EPISODE = 200
"""Steps after which Gymnasium truncates an episode."""


def reset(key, shape):
    """Return angles and angular velocities to begin with."""
    angle, velocity = jax.random.uniform(key, (2, *shape), minval=-1.0, maxval=1.0)
    return jnp.pi * angle, velocity


def step(state, torque):
    """Return the state after a step and its reward; torques beyond 2 are clipped."""
    angle, velocity = state
    torque = jnp.clip(torque, -2, 2)
    folded = (angle + jnp.pi) % (2 * jnp.pi) - jnp.pi
    reward = -(folded**2 + 0.1 * velocity**2 + 0.001 * torque**2)
    velocity = jnp.clip(velocity + (15.0 * jnp.sin(angle) + 3.0 * torque) * 0.05, -8, 8)
    return (angle + velocity * 0.05, velocity), reward


def observe(state):
    return jnp.stack([jnp.cos(state[0]), jnp.sin(state[0]), state[1]], axis=-1)


def arrival(state, action, reward, *, first):
    """Return what the replay is told; rewards scaled to the order of one."""
    ones = jnp.ones_like(reward)
    return Arrival(
        observe(state), action, jnp.zeros((*ones.shape, 0)), 0.1 * reward, ones, ones == first
    )


@partial(jax.jit, static_argnames=("config", "shape", "episodes", "updates"))
def train(config, keys, *, shape, episodes, updates):
    """Return the learners of [R] runs after episodes in [R E] environments each, in one program.

    The first episode is random play; from then on each step is followed by some updates.
    """
    learner = lockstep.init(config, keys)
    rows = episodes * (EPISODE + 1)
    replay = lockstep.init_replay(
        config, shape[0], capacity=rows * shape[1], num_environments=shape[1]
    )
    none, tasks = jnp.zeros((*shape, 1)), jnp.zeros((*shape, 0))

    def keys_of(number):
        return jax.vmap(lambda key: jax.random.split(jax.random.fold_in(key, number), 2))(keys).T

    def advance(carry, number):
        learner, replay, state = carry
        act_keys, learn_keys = keys_of(number)
        chosen = lockstep.act(config, learner.actor, observe(state), tasks, act_keys)
        drawn = lockstep.act_at_random(config, act_keys, num_environments=shape[1])
        action = jnp.where(number < EPISODE, drawn, chosen)
        state, reward = step(state, 2 * action[..., 0])
        replay = lockstep.insert(replay, arrival(state, action, reward, first=False))

        def learn(learner):
            return lockstep.learn(
                ddpg.update, config, learner, replay, learn_keys, num_updates=updates
            )[0]

        learner = jax.lax.cond(number >= EPISODE, learn, lambda learner: learner, learner)
        return (learner, replay, state), None

    def play(carry, episode):
        learner, replay = carry
        state = reset(jax.random.fold_in(keys[0], -1 - episode), shape)
        replay = lockstep.insert(replay, arrival(state, none, none[..., 0], first=True))
        numbers = episode * EPISODE + jnp.arange(EPISODE)
        (learner, replay, _), _ = jax.lax.scan(advance, (learner, replay, state), numbers)
        return (learner, replay), None

    return jax.lax.scan(play, (learner, replay), jnp.arange(episodes))[0][0]


@partial(jax.jit, static_argnames=("config", "shape"))
def evaluate(config, learner, key, *, shape):
    """Return the returns [R E] of episodes without noise."""
    tasks = jnp.zeros((*shape, 0))

    def advance(state, _):
        action = lockstep.act(config, learner.actor, observe(state), tasks)
        return step(state, 2 * action[..., 0])

    return jax.lax.scan(advance, reset(key, shape), length=EPISODE)[1].sum(axis=0)
