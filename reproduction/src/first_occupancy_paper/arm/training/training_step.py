"""One step of training in a world simulated on the host: act, simulate, learn, remember.

The device learns while the host simulates. In each step the host launches first the choice of
actions, then the updates on the experience so far, while a thread waits for the actions and steps
the world. So a step takes as long as the slower of the two, and updates see all experience up to
the step before. Launching a step's kernels takes the host a millisecond or two, during which the
thread simulates.

`RunGroup`s, the world's state and a `Phase` determine everything that follows: a loop that stops
between two steps and continues from them ends with the same results. Groups of runs, one for each
agent, share one world.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from first_occupancy_paper.arm.learner.agent_state import AgentConfig, AgentState
from first_occupancy_paper.arm.learner.replay import Replay, Window
from first_occupancy_paper.arm.training import device_calls, lockstep
from first_occupancy_paper.arm.training.device_calls import (
    ActSettings,
    Aims,
    LearnSettings,
    RenewSettings,
    WorldStep,
)
from first_occupancy_paper.arm.training.lockstep import Update
from first_occupancy_paper.arm.training.simulated_worlds import SimulatedWorld
from first_occupancy_paper.arm.training.tally import Tally, fresh
from first_occupancy_paper.rows.settings import check_least

FitTask = Callable[[AgentConfig, AgentState, Window], Float[Array, " D"]]
"""From rewards to a task: `finetuning.fit_task` or `finetuning.fit_task_as_published`."""


@dataclass(frozen=True)
class Phase:
    """The settings of a phase of training, pre-training or fine-tuning."""

    config: AgentConfig
    """The agent's settings."""
    update: Update
    """`pretraining.update` or `ddpg.update`."""
    learns_from: int
    """The step of each environment at which learning starts; at least 1, so that there is
    experience."""
    random_steps: int = 0
    """Number of first steps of each environment with random actions."""
    fit: FitTask | None = None
    """Fits a task to the rewards so far when learning starts; tasks before that are random. None:
    tasks are drawn at random throughout."""
    refits: bool = False
    """Whether the task is fitted again whenever a new one would otherwise be drawn."""
    steps_per_update: int = 2
    """Steps of a run's environments, counted together, per update."""

    def __post_init__(self) -> None:
        """Raise for phases that would learn without experience."""
        check_least(self, "Phase", learns_from=1, steps_per_update=1)

    def num_updates(self, step: int, num_environments: int) -> int:
        """Return how many updates a run makes during step number `step` of its environments.

        Args:
            step: steps that each environment has taken so far.
            num_environments: E, the environments of the run.
        """
        if step < self.learns_from:
            return 0
        before, after = (moment * num_environments for moment in (step, step + 1))
        return after // self.steps_per_update - before // self.steps_per_update

    def draws_tasks_at(self, step: int) -> bool:
        """Return whether tasks are still drawn at random at a step."""
        return self.fit is None or step < self.learns_from

    def fits_at(self, step: int) -> bool:
        """Return whether the task is fitted just before a step."""
        if self.fit is None or not self.config.has_features:
            return False
        is_due = self.refits and step > self.learns_from and step % self.config.task_steps == 0
        return step == self.learns_from or is_due


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
    num_runs = len(keys)
    replay = lockstep.init_replay(
        config, num_runs, capacity=capacity, num_environments=num_environments
    )
    nothing = jnp.zeros((num_runs, num_environments, config.observation_size))
    drawn = lockstep.draw_tasks(
        config, _keys(keys, device_calls.BEGIN, 0), num_environments=num_environments
    )
    # Arrays from a checkpoint are strongly typed. A fresh learner is made strongly typed too, or
    # programs would be compiled twice.
    learner = jax.tree.map(lambda leaf: jnp.asarray(leaf, leaf.dtype), learner)
    tally = fresh(num_runs, num_environments)
    return RunGroup(learner, replay, tally, nothing, drawn, keys, step=np.int64(0))


def advance(
    phases: Sequence[Phase], groups: Sequence[RunGroup], world: SimulatedWorld
) -> list[RunGroup]:
    """Return the groups after one step of all environments.

    The device is called three times, each time for all groups: to act, to learn and to remember.

    Args:
        phases: how each group is trained.
        groups: the groups so far; their buffers are donated.
        world: environments of the first group's first run, its second run, and so on to the last
            group's last run.
    """
    groups = [_with_task(*each) for each in zip(phases, groups, strict=True)]
    if world.ended:
        groups = _begin_episode(phases, groups, world.reset())
    moves, actions = _chosen(phases, groups)
    moved = SIMULATING.submit(lambda: world.step(np.asarray(moves)))
    learners, metrics = _learned(phases, groups)
    observations, rewards = moved.result()
    step = groups[0].step + 1
    remembered = device_calls.remember(
        _renewing(phases, int(step)),
        [(each.replay, each.tally) for each in groups],
        _aims(groups),
        actions,
        metrics,
        WorldStep(observations, rewards, np.bool_(world.ended)),
        np.int32(step),
    )
    return [
        RunGroup(learner, *known, keys=each.keys, step=np.int64(step))
        for each, learner, known in zip(groups, learners, remembered, strict=True)
    ]


SIMULATING = ThreadPoolExecutor(1, "simulating")

_keys = jax.jit(device_calls.keys_for, static_argnums=1)


def _with_task(phase: Phase, group: RunGroup) -> RunGroup:
    """Return the group with its task fitted to the rewards, if a fit is due.

    Unless an episode begins here, the last row of the replay still holds the previous task.
    """
    if not phase.fits_at(int(group.step)):
        return group
    assert phase.fit is not None
    keys = _keys(group.keys, device_calls.FIT, np.int32(group.step))
    tasks = lockstep.fit_tasks(phase.config, group.learner, group.replay, keys, way=phase.fit)
    tasks = jnp.broadcast_to(tasks[:, None, :], group.tasks.shape)
    return replace(group, tasks=tasks)


def _begin_episode(
    phases: Sequence[Phase], groups: Sequence[RunGroup], first: Float[np.ndarray, "B O"]
) -> list[RunGroup]:
    step = groups[0].step
    remembered = device_calls.remember_first(
        _renewing(phases, int(step)),
        [each.replay for each in groups],
        _aims(groups),
        first,
        np.int32(step),
    )
    return [
        replace(each, **known._asdict()) for each, known in zip(groups, remembered, strict=True)
    ]


def _chosen(phases: Sequence[Phase], groups: Sequence[RunGroup]):
    """Return the actions of all environments, together and for each group."""
    step = groups[0].step
    return device_calls.act(
        tuple(ActSettings(phase.config, bool(step < phase.random_steps)) for phase in phases),
        [each.learner.actor for each in groups],
        [each.observations for each in groups],
        _aims(groups),
        np.int32(step),
    )


def _learned(phases: Sequence[Phase], groups: Sequence[RunGroup]):
    """Return the learners after this step's updates, and their metrics if there were any."""
    step = groups[0].step
    hows = tuple(
        LearnSettings(
            phase.update, phase.config, phase.num_updates(int(step), each.num_environments)
        )
        for phase, each in zip(phases, groups, strict=True)
    )
    learners = [each.learner for each in groups]
    if not any(how.num_updates for how in hows):
        return learners, [None] * len(learners)
    replays, keys = [each.replay for each in groups], [each.keys for each in groups]
    return device_calls.learn(hows, learners, replays, keys, np.int32(step))


def _renewing(phases: Sequence[Phase], step: int) -> tuple[RenewSettings, ...]:
    """Return whether each group draws new tasks from a step on."""
    return tuple(
        RenewSettings(phase.config, phase.config.has_features and phase.draws_tasks_at(step))
        for phase in phases
    )


def _aims(groups: Sequence[RunGroup]) -> list[Aims]:
    return [Aims(each.tasks, each.keys) for each in groups]
