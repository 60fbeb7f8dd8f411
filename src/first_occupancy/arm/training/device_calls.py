"""What the device does in a step of training, for all groups of runs in one call each.

The runs of one agent are a group. A call costs the host about as much as a small network costs a
GPU, so there is one for all groups: `act`, `learn` and `remember` take and return a sequence of
everything, an entry for each group. What differs between groups beside arrays is in `hows`, which
is static: a call is compiled once for every set of them.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, Key

from first_occupancy.arm.learner.actor_critic import Actor
from first_occupancy.arm.learner.agent_state import AgentConfig, AgentState, Metrics
from first_occupancy.arm.learner.replay import Arrival, Replay
from first_occupancy.arm.training import lockstep
from first_occupancy.arm.training.lockstep import Update
from first_occupancy.arm.training.tally import Tally, count
from first_occupancy.core.axes import Index

BEGIN, ACT, RENEW, LEARN, FIT = range(5)
"""What a random number is for."""


class ActSettings(NamedTuple):
    """How a group acts."""

    config: AgentConfig
    at_random: bool


class LearnSettings(NamedTuple):
    """How a group learns in a step, and how often: perhaps not at all."""

    update: Update
    config: AgentConfig
    num_updates: int


class RenewSettings(NamedTuple):
    """Whether a group's tasks are drawn anew when it is time."""

    config: AgentConfig
    renews: bool


class Aims(NamedTuple):
    """What the runs of a group are after, and where their random numbers come from."""

    tasks: Float[Array, "R E D"]
    keys: Key[Array, " R"]


class WorldStep(NamedTuple):
    """What a step of all environments led to, one group after the other."""

    observations: Float[ArrayLike, "B O"]
    rewards: Float[ArrayLike, " B"]
    ended: Bool[ArrayLike, ""]


class Remembered(NamedTuple):
    """What a group has seen so far, what it sees now, and its tasks from here on."""

    replay: Replay
    tally: Tally
    observations: Float[Array, "R E O"]
    tasks: Float[Array, "R E D"]


class Begun(NamedTuple):
    """The same at the beginning of an episode, when nothing is counted."""

    replay: Replay
    observations: Float[Array, "R E O"]
    tasks: Float[Array, "R E D"]


def keys_for(keys: Key[Array, " R"], purpose: int, step: Index) -> Key[Array, " R"]:
    """Return a key for each run, for one purpose in one step."""
    return jax.vmap(lambda key: jax.random.fold_in(jax.random.fold_in(key, step), purpose))(keys)


@partial(jax.jit, static_argnums=0)
def act(
    hows: tuple[ActSettings, ...],
    actors: Sequence[Actor],
    observations: Sequence[Float[Array, "R E O"]],
    aims: Sequence[Aims],
    step: Index,
) -> tuple[Float[Array, "B A"], list[Float[Array, "R E A"]]]:
    """Return what all environments do, for the world and for each group."""
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
    """Return the actions, but nothing for runs whose numbers have grown beyond all bounds.

    APF as printed does that. Such a run then stands still while others go on beside it.
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
    """Return the learners after a step's learning, in place, and what it was like."""
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
    """Return what each group knows after a step, with its replay and tally in place."""
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
    # Episodes are cut off, never at an end: what follows always counts.
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
    """Return what each group knows when an episode begins, with its replay in place."""
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
    """Return each group's share of what a world returned, as [R, E, ...]."""
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
