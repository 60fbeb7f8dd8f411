"""One step of training in a world simulated on the host: act, simulate, learn, remember.

The device learns while the host simulates. In each step the host launches first the choice of
actions, then the updates on the experience so far, while a thread waits for the actions and steps
the world. So a step takes as long as the slower of the two, and updates see all experience up to
the step before. Launching a step's kernels takes the host a millisecond or two, during which the
thread simulates.

Launching a call costs the host about as much time as a small network takes on a GPU, so each call
serves all groups of runs, one group for each agent, and takes a sequence with an entry per group.
The settings of the groups are static: a call is compiled once for each combination of them.

`RunGroup`s, the world's state and a `Phase` determine everything that follows: a loop that stops
between two steps and continues from them ends with the same results.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from first_occupancy.core.axes import Index
from first_occupancy_paper.rows.settings import check_least

from ..learner import task_vectors
from ..learner.agent_state import AgentConfig, AgentState
from ..learner.finetuning import HandOver
from ..learner.replay import Arrival, Replay
from . import lockstep
from .lockstep import Keys, Update
from .simulated_worlds import SimulatedWorld
from .tally import Tally, count, fresh

BEGIN, ACT, RENEW, LEARN, FIT = range(5)
"""Purposes of random numbers: each has its own stream (`keys_for`)."""


@dataclass(frozen=True)
class Phase:
    """The settings of a phase of training, pre-training or fine-tuning."""

    config: AgentConfig
    """The agent's settings."""
    update: Update
    """`pretraining.update` or `ddpg.update`."""
    first_steps: int
    """Number of first steps of each environment, with random actions and without learning; at least
    1, so that there is experience."""
    way: HandOver | None = None
    """How a task is fitted to the rewards of the first steps, in which tasks are random. None:
    tasks are drawn at random throughout."""
    steps_per_update: int = 2
    """Steps of a run's environments, counted together, per update."""

    def __post_init__(self) -> None:
        """Raise for phases that would learn without experience."""
        check_least(self, "Phase", first_steps=1, steps_per_update=1)

    def num_updates(self, step: int, num_environments: int) -> int:
        """Return how many updates a run makes during step number `step` of its environments.

        Args:
            step: steps that each environment has taken so far.
            num_environments: E, the environments of the run.
        """
        if step < self.first_steps:
            return 0
        before, after = (moment * num_environments for moment in (step, step + 1))
        return after // self.steps_per_update - before // self.steps_per_update

    def draws_tasks_at(self, step: int) -> bool:
        """Return whether tasks are still drawn at random at a step."""
        return self.config.has_features and (self.way is None or step < self.first_steps)

    def fits_at(self, step: int) -> bool:
        """Return whether the task is fitted just before a step."""
        if self.way is None or step < self.first_steps:
            return False
        return step == self.first_steps or (self.way.refits and step % self.config.task_steps == 0)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class RunGroup:
    """R runs of one agent with E environments each, between two steps.

    A dataclass, because one is made in every step and an `equinox.Module` would take a third of a
    millisecond.

    Attributes:
        learner: the runs' states.
        replay: the runs' experience.
        tally: sums of metrics and returns since the last row.
        observations: current observations.
        tasks: current tasks.
        keys: a random key for each run; all its random numbers are derived from the key, the step
            and their purpose.
        step: steps that each environment has taken.
    """

    learner: AgentState
    replay: Replay
    tally: Tally
    observations: Float[Array, "R E O"]
    tasks: Float[Array, "R E D"]
    keys: Key[Array, " R"]
    step: Int[np.ndarray, ""] | np.integer

    @property
    def num_environments(self) -> int:
        """E, the environments of each run."""
        return self.tasks.shape[1]


def begin(
    config: AgentConfig,
    learner: AgentState,
    keys: Key[Array, " R"],
    *,
    num_environments: int,
    capacity: int,
) -> RunGroup:
    """Return a group without experience, before its first episode.

    Args:
        config: the agent's settings.
        learner: the runs' states.
        keys: a random key for each run.
        num_environments: E, the environments of each run.
        capacity: rows of each run's replay.
    """
    runs = len(keys)
    replay = lockstep.init_replay(
        config, runs, capacity=capacity, num_environments=num_environments
    )
    nothing = jnp.zeros((runs, num_environments, config.observation_size))
    # Arrays from a checkpoint are strongly typed. A fresh learner is made strongly typed too, or
    # programs would be compiled twice.
    learner = jax.tree.map(lambda leaf: jnp.asarray(leaf, leaf.dtype), learner)
    tasks = _draw(config, keys, num_environments)
    tally = fresh(jnp.zeros((runs, num_environments)))
    return RunGroup(learner, replay, tally, nothing, tasks, keys, step=np.int64(0))


def advance(
    phases: Sequence[Phase], groups: Sequence[RunGroup], world: SimulatedWorld
) -> list[RunGroup]:
    """Return the groups after one step of all environments.

    The device acts, learns while the world simulates, and remembers: one call each for all groups.
    The start of an episode is remembered by one more, and a task is fitted by a call per group.

    Args:
        phases: how each group is trained.
        groups: the groups so far; their buffers are donated.
        world: environments of the first group's first run, its second run, and so on to the last
            group's last run.
    """
    groups = [_with_task(*each) for each in zip(phases, groups, strict=True)]
    if world.ended:
        groups = _remembered(phases, groups, (world.reset(), None, None))
    step = int(groups[0].step)
    moves, actions = _act(
        tuple((phase.config, step < phase.first_steps) for phase in phases),
        [(each.learner.actor, each.observations, each.tasks, each.keys) for each in groups],
        np.int32(step),
    )
    moved = SIMULATING.submit(lambda: world.step(np.asarray(moves)))
    learned = _learned(phases, groups, step)
    outcome = (*moved.result(), np.bool_(world.ended))
    groups = [
        replace(each, learner=learner, step=each.step + 1)
        for each, (learner, _) in zip(groups, learned, strict=True)
    ]
    return _remembered(phases, groups, outcome, actions, [metrics for _, metrics in learned])


SIMULATING = ThreadPoolExecutor(1, "simulating")


@partial(jax.jit, static_argnums=1)
def keys_for(keys: Keys, purpose: int, step: Index) -> Keys:
    """Return a key for each run, for one purpose in one step.

    Args:
        keys: the runs' own keys.
        purpose: purpose of the random numbers: `BEGIN`, `ACT`, `RENEW`, `LEARN` or `FIT`.
        step: steps taken so far.
    """
    return jax.vmap(lambda key: jax.random.fold_in(jax.random.fold_in(key, step), purpose))(keys)


@partial(jax.jit, static_argnums=(0, 2))
def _draw(config: AgentConfig, keys: Keys, num_environments: int) -> Float[Array, "R E D"]:
    draw = partial(task_vectors.draw, config, num_environments=num_environments)
    return jax.vmap(draw)(keys_for(keys, BEGIN, 0))


def _with_task(phase: Phase, group: RunGroup) -> RunGroup:
    """Return the group with its task fitted to the rewards, if a fit is due.

    Unless an episode begins here, the last row of the replay still holds the previous task.
    """
    if phase.way is None or not phase.fits_at(int(group.step)):
        return group
    keys = keys_for(group.keys, FIT, np.int32(group.step))
    tasks = lockstep.fit_tasks(phase.config, group.learner, group.replay, keys, way=phase.way.fit)
    return replace(group, tasks=jnp.broadcast_to(tasks[:, None, :], group.tasks.shape))


@partial(jax.jit, static_argnums=0)
def _act(hows, parts, step):
    """Return the actions of all environments, for the world and for each group.

    `hows` says of each group its agent's settings and whether it acts at random.
    """
    actions: list[Array] = []
    for (config, at_random), (actor, seen, tasks, keys) in zip(hows, parts, strict=True):
        own = keys_for(keys, ACT, step)
        if at_random:
            actions.append(lockstep.act_at_random(config, own, num_environments=tasks.shape[1]))
        else:
            actions.append(lockstep.act(config, actor, seen, tasks, own))
    return lockstep.for_world(actions), actions


def _learned(phases: Sequence[Phase], groups: Sequence[RunGroup], step: int):
    """Return the learners after this step's updates, with their metrics if there were any."""
    hows = tuple(
        (phase.update, phase.config, phase.num_updates(step, each.num_environments))
        for phase, each in zip(phases, groups, strict=True)
    )
    learners = [each.learner for each in groups]
    if not any(number for *_, number in hows):
        return [(learner, None) for learner in learners]
    return _learn(hows, learners, [(each.replay, each.keys) for each in groups], np.int32(step))


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def _learn(hows, learners, parts, step):
    found = []
    for (update, config, number), learner, (replay, keys) in zip(
        hows, learners, parts, strict=True
    ):
        metrics = None
        if number:
            own = keys_for(keys, LEARN, step)
            learner, metrics = lockstep.learn(
                update, config, learner, replay, own, num_updates=number
            )
        found.append((learner, metrics))
    return found


def _remembered(phases, groups, outcome, actions=None, metrics=None) -> list[RunGroup]:
    """Return the groups with what the world returned: observations, rewards, whether it ended.

    Without actions it is the beginning of an episode.
    """
    step = groups[0].step
    known = _remember(
        tuple((phase.config, phase.draws_tasks_at(int(step))) for phase in phases),
        [(each.replay, each.tally) for each in groups],
        [(each.tasks, each.keys) for each in groups],
        outcome,
        actions,
        metrics,
        np.int32(step),
    )
    return [
        RunGroup(each.learner, *news, keys=each.keys, step=step)
        for each, news in zip(groups, known, strict=True)
    ]


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def _remember(hows, kept, aims, outcome, actions, metrics, step):
    """Return each group's replay, tally, observations and tasks from here on.

    `hows` says of each group its agent's settings and whether it draws new tasks.
    """
    shapes = [tasks.shape[:2] for tasks, _ in aims]
    observations, rewards, ended = outcome
    seen = lockstep.for_groups(shapes, observations)
    found = []
    for number, ((config, renews), (replay, tally), (tasks, keys)) in enumerate(
        zip(hows, kept, aims, strict=True)
    ):
        shape = shapes[number]
        first = jnp.full(shape, actions is None)
        if renews:
            renew = jax.vmap(partial(task_vectors.renew, config), in_axes=(0, 0, None, 0))
            tasks = renew(tasks, first, step, keys_for(keys, RENEW, step))
        if actions is None:
            moves, earned = jnp.zeros((*shape, config.action_size)), jnp.zeros(shape)
        else:
            moves, earned = actions[number], lockstep.for_groups(shapes, rewards)[number]
            tally = count(tally, earned, metrics[number], jnp.asarray(ended))
        # Episodes are truncated, never terminated, so targets always bootstrap.
        ones = jnp.ones_like(earned)
        arrival = Arrival(seen[number], moves, tasks, earned, ones, first)
        found.append((lockstep.insert(replay, arrival), tally, seen[number], tasks))
    return found
