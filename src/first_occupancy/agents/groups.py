"""What the device does in a step of training, for all groups of runs in one call each.

The runs of one agent are a group. A call costs the host about as much as a small network costs a
GPU, so there is one for all groups, and whatever differs between groups is in `hows`, which is
static: a call is compiled once for every set of ways.
"""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from first_occupancy.agents import lockstep
from first_occupancy.agents.replay import Arrival
from first_occupancy.agents.tally import count
from first_occupancy.core.axes import Index

BEGIN, ACT, RENEW, LEARN, FIT = range(5)
"""What a random number is for."""


def keys_for(keys: Key[Array, " R"], purpose: int, step: Index) -> Key[Array, " R"]:
    """Return a key for each run, for one purpose in one step."""
    return jax.vmap(lambda key: jax.random.fold_in(jax.random.fold_in(key, step), purpose))(keys)


@partial(jax.jit, static_argnums=0)
def act(hows, actors, places, step):
    """Return what all environments do, as [B A] for the world, and for each group.

    A way is the group's settings and whether it acts at random; a place what it sees, its tasks
    and its keys.
    """
    actions = [
        _act_in_group(how, actor, place, step)
        for how, actor, place in zip(hows, actors, places, strict=True)
    ]
    return jnp.concatenate([each.reshape(-1, each.shape[-1]) for each in actions]), actions


def _act_in_group(how, actor, place, step):
    config, is_random = how
    observations, tasks, keys = place
    keys = keys_for(keys, ACT, step)
    if is_random:
        return lockstep.act_at_random(config, keys, num_environments=tasks.shape[1])
    return within_reach(lockstep.act(config, actor, observations, tasks, keys))


def within_reach(actions: Float[Array, "R E A"]) -> Float[Array, "R E A"]:
    """Return the actions, but nothing for runs whose numbers have grown beyond all bounds.

    APF as printed does that. Such a run then stands still while others go on beside it.
    """
    return jnp.where(jnp.isfinite(actions), actions, 0)


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def learn(hows, learners, memories, step):
    """Return the learners after a step's learning, in place, and what it was like.

    A way is an update, settings, and how often: for a group that does not learn, not at all.
    """
    learned = [
        _learn_in_group(how, learner, replay, keys, step)
        for how, learner, (replay, keys) in zip(hows, learners, memories, strict=True)
    ]
    return [learner for learner, _ in learned], [metrics for _, metrics in learned]


def _learn_in_group(how, learner, replay, keys, step):
    update, config, num_updates = how
    if not num_updates:
        return learner, None
    keys = keys_for(keys, LEARN, step)
    return lockstep.learn(update, config, learner, replay, keys, num_updates=num_updates)


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def remember(hows, memories, places, done, came, step):
    """Return each group's replay and tally, in place, with what it sees now and its tasks.

    A way is the group's settings and whether its tasks are renewed. `done` are actions and
    metrics, `came` is what the world returned.
    """
    observations, rewards, ended = came
    shapes = [tasks.shape[:2] for tasks, _ in places]
    groups = zip(
        hows,
        memories,
        places,
        *done,
        parts(shapes, observations),
        parts(shapes, rewards),
        strict=True,
    )
    return [_remember_in_group(group, ended, step) for group in groups]


def _remember_in_group(group, ended, step):
    how, (replay, tally), (tasks, keys), actions, metrics, observations, rewards = group
    first = jnp.zeros(rewards.shape, bool)
    tasks = _renewed(how, tasks, first, keys, step)
    # Episodes are cut off, never at an end: what follows always counts.
    ones = jnp.ones_like(rewards)
    arrival = Arrival(observations, actions, tasks, rewards, ones, first)
    replay = lockstep.insert(replay, arrival)
    return replay, count(tally, rewards, metrics, ended), observations, tasks


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def remember_first(hows, replays, places, observations, step):
    """Return each group's replay, in place, with a beginning, what it sees, and its tasks."""
    seen = parts([tasks.shape[:2] for tasks, _ in places], observations)
    groups = zip(hows, replays, places, seen, strict=True)
    return [_remember_first_in_group(group, step) for group in groups]


def _remember_first_in_group(group, step):
    how, replay, (tasks, keys), observations = group
    shape = tasks.shape[:2]
    first = jnp.ones(shape, bool)
    tasks = _renewed(how, tasks, first, keys, step)
    nothing = jnp.zeros((*shape, how[0].action_size))
    arrival = Arrival(observations, nothing, tasks, jnp.zeros(shape), jnp.ones(shape), first)
    return lockstep.insert(replay, arrival), observations, tasks


def parts(shapes: Sequence[tuple[int, int]], rows: Float[Array, "B ..."]) -> list[Array]:
    """Return each group's share of what a world returned, as [R, E, ...]."""
    ends = np.cumsum([runs * environments for runs, environments in shapes])
    pieces = jnp.split(rows, ends[:-1].tolist())
    return [
        piece.reshape(*shape, *rows.shape[1:]) for piece, shape in zip(pieces, shapes, strict=True)
    ]


def _renewed(how, tasks, first, keys, step):
    config, renews = how
    if not renews:
        return tasks
    return lockstep.renew_tasks(config, tasks, first, step, keys_for(keys, RENEW, step))
