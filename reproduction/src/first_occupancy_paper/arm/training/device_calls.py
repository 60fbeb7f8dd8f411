"""The device's part of a training step: act, learn and remember, one call each for all groups.

The runs of one agent are a group. Launching a call costs the host about as much time as a small
network takes on a GPU, so each call serves all groups: its arguments and results are sequences with
an entry per group. The settings of the groups are static, so a call is compiled once for each
combination of them.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, Key

from first_occupancy.core.axes import Index
from first_occupancy_paper.arm.learner.agent_networks import Actor
from first_occupancy_paper.arm.learner.agent_state import AgentConfig, AgentState, Metrics
from first_occupancy_paper.arm.learner.replay import Arrival, Replay
from first_occupancy_paper.arm.training import lockstep
from first_occupancy_paper.arm.training.lockstep import Update
from first_occupancy_paper.arm.training.tally import Tally, count

BEGIN, ACT, RENEW, LEARN, FIT = range(5)
"""Purposes of random numbers: each has its own stream (`keys_for`)."""


class ActSettings(NamedTuple):
    """How a group acts.

    Attributes:
        config: the agent's settings.
        at_random: whether actions are uniformly random instead of the actor's.
    """

    config: AgentConfig
    at_random: bool


class LearnSettings(NamedTuple):
    """How a group learns.

    Attributes:
        update: `pretraining.update` or `ddpg.update`.
        config: the agent's settings.
        num_updates: number of updates in this step, possibly 0.
    """

    update: Update
    config: AgentConfig
    num_updates: int


class RenewSettings(NamedTuple):
    """How a group chooses its tasks.

    Attributes:
        config: the agent's settings.
        renews: whether it still draws new tasks at random.
    """

    config: AgentConfig
    renews: bool


class Aims(NamedTuple):
    """The tasks and keys of a group.

    Attributes:
        tasks: tasks that the runs follow.
        keys: a random key for each run.
    """

    tasks: Float[Array, "R E D"]
    keys: Key[Array, " R"]


class WorldStep(NamedTuple):
    """Result of one step of all environments, one group after the other.

    Attributes:
        observations: observations after the step.
        rewards: rewards of the step.
        ended: whether the episodes ended with it.
    """

    observations: Float[ArrayLike, "B O"]
    rewards: Float[ArrayLike, " B"]
    ended: Bool[ArrayLike, ""]


class Remembered(NamedTuple):
    """The state of a group after a step, except for what it learned.

    Attributes:
        replay: experience, with the step.
        tally: sums of metrics and returns, with the step.
        observations: current observations.
        tasks: tasks from here on.
    """

    replay: Replay
    tally: Tally
    observations: Float[Array, "R E O"]
    tasks: Float[Array, "R E D"]


class Begun(NamedTuple):
    """The same at the beginning of an episode, which does not change the tally.

    Attributes:
        replay: experience, with the first observations.
        observations: first observations.
        tasks: tasks from here on.
    """

    replay: Replay
    observations: Float[Array, "R E O"]
    tasks: Float[Array, "R E D"]


def keys_for(keys: Key[Array, " R"], purpose: int, step: Index) -> Key[Array, " R"]:
    """Return a key for each run, for one purpose in one step.

    Args:
        keys: the runs' own keys.
        purpose: purpose of the random numbers: `BEGIN`, `ACT`, `RENEW`, `LEARN` or `FIT`.
        step: steps taken so far.
    """
    return jax.vmap(lambda key: jax.random.fold_in(jax.random.fold_in(key, step), purpose))(keys)


@partial(jax.jit, static_argnums=0)
def act(
    hows: tuple[ActSettings, ...],
    actors: Sequence[Actor],
    observations: Sequence[Float[Array, "R E O"]],
    aims: Sequence[Aims],
    step: Index,
) -> tuple[Float[Array, "B A"], list[Float[Array, "R E A"]]]:
    """Return the actions of all environments, for the world and for each group.

    Args:
        hows: how each group acts.
        actors: policies of each group's runs.
        observations: current observations of each group.
        aims: tasks and keys of each group.
        step: steps taken so far.
    """
    groups = zip(hows, actors, observations, aims, strict=True)
    actions = [_act_in_group(*group, step) for group in groups]
    return jnp.concatenate([each.reshape(-1, each.shape[-1]) for each in actions]), actions


def _act_in_group(
    how: ActSettings, actor: Actor, observations: Float[Array, "R E O"], aims: Aims, step: Index
) -> Float[Array, "R E A"]:
    keys = keys_for(aims.keys, ACT, step)
    if how.at_random:
        return lockstep.act_at_random(how.config, keys, num_environments=aims.tasks.shape[1])
    return within_reach(lockstep.act(how.config, actor, observations, aims.tasks, keys))


def within_reach(actions: Float[Array, "R E A"]) -> Float[Array, "R E A"]:
    """Return the actions, with 0 in place of those that are not finite.

    The values of APF as printed can overflow. Such a run then stands still while others continue.
    """
    return jnp.where(jnp.isfinite(actions), actions, 0)


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def learn(
    hows: tuple[LearnSettings, ...],
    learners: Sequence[AgentState],
    replays: Sequence[Replay],
    keys: Sequence[Key[Array, " R"]],
    step: Index,
) -> tuple[list[AgentState], list[Metrics | None]]:
    """Return the learners after this step's updates, and their metrics.

    The learners' buffers are donated: do not reuse them after the call.
    """
    groups = zip(hows, learners, replays, keys, strict=True)
    learned = [_learn_in_group(*group, step) for group in groups]
    return [learner for learner, _ in learned], [metrics for _, metrics in learned]


def _learn_in_group(
    how: LearnSettings, learner: AgentState, replay: Replay, keys: Key[Array, " R"], step: Index
) -> tuple[AgentState, Metrics | None]:
    if not how.num_updates:
        return learner, None
    keys = keys_for(keys, LEARN, step)
    return lockstep.learn(
        how.update, how.config, learner, replay, keys, num_updates=how.num_updates
    )


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def remember(
    hows: tuple[RenewSettings, ...],
    kept: Sequence[tuple[Replay, Tally]],
    aims: Sequence[Aims],
    actions: Sequence[Float[Array, "R E A"]],
    metrics: Sequence[Metrics | None],
    outcome: WorldStep,
    step: Index,
) -> list[Remembered]:
    """Return each group's experience, tally, observations and tasks after a step.

    The buffers of replays and tallies are donated: do not reuse them after the call.

    Args:
        hows: whether each group draws new tasks.
        kept: replay and tally of each group.
        aims: tasks and keys of each group.
        actions: actions that each group took.
        metrics: metrics of this step's updates, None for groups that made none.
        outcome: observations and rewards of all environments, and whether episodes ended.
        step: steps taken so far.
    """
    shapes = [each.tasks.shape[:2] for each in aims]
    seen, earned = parts(shapes, outcome.observations), parts(shapes, outcome.rewards)
    ended = jnp.asarray(outcome.ended)
    groups = zip(hows, kept, aims, actions, metrics, seen, earned, strict=True)
    return [_remember_in_group(*group, ended=ended, step=step) for group in groups]


def _remember_in_group(
    how: RenewSettings,
    kept: tuple[Replay, Tally],
    aims: Aims,
    actions: Float[Array, "R E A"],
    metrics: Metrics | None,
    observations: Float[Array, "R E O"],
    rewards: Float[Array, "R E"],
    *,
    ended: Bool[Array, ""],
    step: Index,
) -> Remembered:
    replay, tally = kept
    first = jnp.zeros(rewards.shape, bool)
    tasks = _renewed(how, aims, first, step)
    # Episodes are truncated, never terminated, so targets always bootstrap.
    ones = jnp.ones_like(rewards)
    arrival = Arrival(observations, actions, tasks, rewards, ones, first)
    replay = lockstep.insert(replay, arrival)
    return Remembered(replay, count(tally, rewards, metrics, ended), observations, tasks)


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def remember_first(
    hows: tuple[RenewSettings, ...],
    replays: Sequence[Replay],
    aims: Sequence[Aims],
    observations: Float[ArrayLike, "B O"],
    step: Index,
) -> list[Begun]:
    """Return each group's experience, observations and tasks when an episode begins.

    The replays' buffers are donated: do not reuse them after the call.

    Args:
        hows: whether each group draws new tasks.
        replays: experience of each group.
        aims: tasks and keys of each group.
        observations: first observations of all environments.
        step: steps taken so far.
    """
    seen = parts([each.tasks.shape[:2] for each in aims], observations)
    groups = zip(hows, replays, aims, seen, strict=True)
    return [_remember_first_in_group(*group, step) for group in groups]


def _remember_first_in_group(
    how: RenewSettings, replay: Replay, aims: Aims, observations: Float[Array, "R E O"], step: Index
) -> Begun:
    shape = observations.shape[:2]
    first = jnp.ones(shape, bool)
    tasks = _renewed(how, aims, first, step)
    nothing = jnp.zeros((*shape, how.config.action_size))
    arrival = Arrival(observations, nothing, tasks, jnp.zeros(shape), jnp.ones(shape), first)
    return Begun(lockstep.insert(replay, arrival), observations, tasks)


def parts(shapes: Sequence[tuple[int, ...]], rows: Float[ArrayLike, "B ..."]) -> list[Array]:
    """Return each group's part of an array that a world returned, as [R, E, ...].

    Args:
        shapes: runs and environments of each group.
        rows: a row per environment, one group after the other.
    """
    ends = np.cumsum([runs * environments for runs, environments in shapes])
    pieces = jnp.split(jnp.asarray(rows), ends[:-1].tolist())
    return [
        piece.reshape(*shape, *piece.shape[1:]) for piece, shape in zip(pieces, shapes, strict=True)
    ]


def _renewed(
    how: RenewSettings, aims: Aims, first: Bool[Array, "R E"], step: Index
) -> Float[Array, "R E D"]:
    if not how.renews:
        return aims.tasks
    return lockstep.renew_tasks(
        how.config, aims.tasks, first, step, keys_for(aims.keys, RENEW, step)
    )
