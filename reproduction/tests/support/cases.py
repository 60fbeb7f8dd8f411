"""What several tests of the learners begin with."""

import functools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

import plain_networks as plain
from first_occupancy_paper.arm.learner import agent_state as learners
from first_occupancy_paper.arm.learner.agent_state import AgentConfig
from first_occupancy_paper.arm.learner.replay import Arrival, Window
from first_occupancy_paper.arm.training import lockstep

SMALL = {"observation_size": 3, "action_size": 2, "num_features": 4, "width": 5, "batch": 6}
CONFIG = AgentConfig("apf", **SMALL, neighbours=3)


def begin(config, seed=3):
    """Return the learner of a single run with random parameters and unused optimisers.

    Not by `init`, which takes longer to compile than what is tested with it.
    """
    random = np.random.default_rng(seed)
    like = jax.eval_shape(partial(learners.init, config), jax.random.key(0))
    networks = learners.networks_of(like)
    filled = jax.tree.map(lambda x: jnp.asarray(random.normal(size=x.shape) / 2), networks)
    return learners.assemble(filled)


def some_window(config, seed=0):
    """Return a batch of random windows, the first cut after two steps, the second terminated."""
    random, batch = np.random.default_rng(seed), config.batch
    inside = np.ones((batch, config.n_step), bool)
    inside[0, 2:] = False
    discounts = np.where(inside, config.discount, 1.0)
    discounts[1, -1] = 0
    task = random.normal(size=(batch, config.task_size))
    length = np.linalg.norm(task, axis=1, keepdims=True) if config.task_size else 1
    arrived = random.normal(size=(batch, config.n_step, config.observation_size))
    arrived[0, 2] = arrived[0, 1]
    parts = (
        random.normal(size=(batch, config.observation_size)),
        random.uniform(-1, 1, size=(batch, config.action_size)),
        task / length,
        np.where(inside, random.normal(size=inside.shape), 0),
        discounts,
        inside,
        arrived,
    )
    return Window(*map(jnp.asarray, parts))


@functools.cache
def jitted(update, config):
    """Return an update of one run as a program, compiled once for all tests."""
    return jax.jit(partial(update, config))


def some_noise(config):
    return jax.random.normal(jax.random.key(9), (2, config.batch, config.action_size))


def as_numpy(tree):
    return jax.tree.map(np.asarray, tree)


def smaller_by_hand(outputs, weights):
    """Return, row by row, the outputs of the twin with the smaller Q."""
    return np.array(
        [min(twins, key=lambda x, w=w: x @ w) for twins, w in zip(outputs, weights, strict=True)]
    )


def bootstrap_by_hand(config, learner, window, noise, weights):
    """Return the target critic's outputs after the actor's action with clipped noise."""
    arrived = window.next_observations[:, -1]
    moved = plain.actor(learner.actor, arrived, window.task) + np.clip(
        config.noise * noise, -config.noise_clip, config.noise_clip
    )
    outputs = plain.critic(learner.target_critic, arrived, window.task, np.clip(moved, -1, 1))
    return smaller_by_hand(outputs, weights)


def remember(config, num_runs, number, seed=0):
    """Return replays of random steps in episodes of seven."""
    random = np.random.default_rng(seed)
    memory = lockstep.init_replay(config, num_runs, capacity=50)
    for row in range(number):
        memory = lockstep.insert(
            memory,
            Arrival(
                random.normal(size=(num_runs, 1, config.observation_size)),
                random.uniform(-1, 1, size=(num_runs, 1, config.action_size)),
                random.normal(size=(num_runs, 1, config.task_size)),
                random.normal(size=(num_runs, 1)),
                np.ones((num_runs, 1)),
                np.full((num_runs, 1), row % 7 == 0),
            ),
        )
    return memory
