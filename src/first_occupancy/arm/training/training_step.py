"""Training in a world that is simulated on the host: act, learn while it moves, remember.

The device learns while the host simulates. On each step the device is told to act, and at once
to learn from what is remembered so far; a thread waits for the actions and moves the world. So
a step takes as long as the slower of the two, and learning looks at everything up to the step
before. Telling is not free (launching a step's kernels takes a millisecond or two): the thread
simulates meanwhile.

All that decides what happens next is in the `RunGroup`s, in the world's own state and in the
numbers of a `Phase`; a loop that stops between two steps and goes on with those ends as it
would have. Groups of runs, one for each agent, go on side by side in one world.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from first_occupancy.arm.learner.agent_state import AgentConfig, AgentState
from first_occupancy.arm.learner.replay import Replay, Window
from first_occupancy.arm.training import device_calls, lockstep
from first_occupancy.arm.training.device_calls import (
    ActSettings,
    Aims,
    LearnSettings,
    RenewSettings,
    WorldStep,
)
from first_occupancy.arm.training.lockstep import Update
from first_occupancy.arm.training.simulated_worlds import SimulatedWorld
from first_occupancy.arm.training.tally import Tally, fresh
from first_occupancy.core.errors import InputError

FitTask = Callable[[AgentConfig, AgentState, Window], Float[Array, " D"]]
"""From rewards to a task: `finetuning.fit_task` or `finetuning.fit_task_as_published`."""


@dataclass(frozen=True)
class Phase:
    """A stretch of training in which everything is done in one way."""

    config: AgentConfig
    update: Update
    """`pretraining.update` or `ddpg.update`."""
    learns_from: int
    """The step of each environment at which learning begins, after one at least to learn from."""
    random_steps: int = 0
    """So many first steps of each environment are random."""
    fit: FitTask | None = None
    """How a task is made of the rewards so far when learning begins, to be kept from then on.
    Until then, and always without it, tasks are drawn at random and renewed."""
    refits: bool = False
    """Whether the task is fitted again whenever else a new one would be drawn."""
    steps_per_update: int = 2
    """How many steps of a run's environments, counted together, make one step of learning."""

    def __post_init__(self) -> None:
        """Refuse to learn from nothing."""
        for name in ("learns_from", "steps_per_update"):
            if getattr(self, name) < 1:
                raise InputError(f"Phase: {name} must be at least 1, got {getattr(self, name)}")

    def num_updates(self, step: int, num_environments: int) -> int:
        """Return how often a run learns while its environments take their step number `step`."""
        if step < self.learns_from:
            return 0
        before, after = (moment * num_environments for moment in (step, step + 1))
        return after // self.steps_per_update - before // self.steps_per_update

    def draws_tasks_at(self, step: int) -> bool:
        """Return whether tasks are still drawn at random from a step on."""
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

    One is made at every step, which takes an `equinox.Module` a third of a millisecond.
    """

    learner: AgentState
    replay: Replay
    tally: Tally
    observations: Float[Array, "R E O"]
    tasks: Float[Array, "R E D"]
    keys: Key[Array, " R"]
    """Every random number of a run comes from its key, the step and what it is for."""
    step: Int[np.ndarray, ""] | np.integer
    """Steps that each environment has taken."""

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
    """Return a training with nothing remembered, in a world whose episode is yet to begin."""
    num_runs = len(keys)
    replay = lockstep.init_replay(
        config, num_runs, capacity=capacity, num_environments=num_environments
    )
    nothing = jnp.zeros((num_runs, num_environments, config.observation_size))
    drawn = lockstep.draw_tasks(
        config, _keys(keys, device_calls.BEGIN, 0), num_environments=num_environments
    )
    # What comes from a checkpoint has types of its own, never those of Python's numbers. To be
    # compiled once for both, so has what begins.
    learner = jax.tree.map(lambda leaf: jnp.asarray(leaf, leaf.dtype), learner)
    tally = fresh(num_runs, num_environments)
    return RunGroup(learner, replay, tally, nothing, drawn, keys, step=np.int64(0))


def advance(
    phases: Sequence[Phase], groups: Sequence[RunGroup], world: SimulatedWorld
) -> list[RunGroup]:
    """Return the trainings after one step of all environments.

    The environments of `world` are those of the first training's first run, of its second run,
    and so on to the last training's last. What the trainings hold is given away.

    The device is called three times, for all trainings at once: to act, to learn, to remember.
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


def _with_task(phase: Phase, training: RunGroup) -> RunGroup:
    """Return the training with the task that its rewards amount to, if now is the time.

    Unless an episode begins here, the last row remembered still names the task before it.
    """
    if not phase.fits_at(int(training.step)):
        return training
    assert phase.fit is not None
    keys = _keys(training.keys, device_calls.FIT, np.int32(training.step))
    tasks = lockstep.fit_tasks(phase.config, training.learner, training.replay, keys, way=phase.fit)
    tasks = jnp.broadcast_to(tasks[:, None, :], training.tasks.shape)
    return replace(training, tasks=tasks)


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
    """Return what all environments do, and the same for each training apart."""
    step = groups[0].step
    return device_calls.act(
        tuple(ActSettings(phase.config, bool(step < phase.random_steps)) for phase in phases),
        [each.learner.actor for each in groups],
        [each.observations for each in groups],
        _aims(groups),
        np.int32(step),
    )


def _learned(phases: Sequence[Phase], groups: Sequence[RunGroup]):
    """Return the learners after this step's learning, and what that was like, if there was any."""
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
    """Return who draws new tasks from a step on."""
    return tuple(
        RenewSettings(phase.config, phase.config.has_features and phase.draws_tasks_at(step))
        for phase in phases
    )


def _aims(groups: Sequence[RunGroup]) -> list[Aims]:
    return [Aims(each.tasks, each.keys) for each in groups]
