"""Training in a world that is simulated on the host: act, learn while it moves, remember.

The device works on what it was given while the host simulates: on each step the actions are
fetched, then the device is told to learn from what is remembered so far, and only then does
the world move. So a step takes as long as the slower of the two, and learning looks at
everything up to the step before.

All that decides what happens next is in the `Training`s, in the world's own state and in the
numbers of a `Phase`; a loop that stops between two steps and goes on with those ends as it
would have. Groups of runs, one for each agent, go on side by side in one world.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from first_occupancy.agents import lockstep
from first_occupancy.agents.learner import AgentConfig, Learner
from first_occupancy.agents.lockstep import Update
from first_occupancy.agents.replay import Arrival, Replay, Window
from first_occupancy.agents.tally import Tally, count, fresh
from first_occupancy.agents.worlds import World
from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError

FitTask = Callable[[AgentConfig, Learner, Window], Float[Array, " D"]]
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

    def fits_at(self, step: int) -> bool:
        """Return whether the task is fitted just before a step."""
        return self.fit is not None and self.config.has_features and step == self.learns_from


class Training(eqx.Module):
    """R runs of one agent with E environments each, between two steps."""

    learner: Learner
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
    learner: Learner,
    keys: Key[Array, " R"],
    *,
    num_environments: int,
    capacity: int,
) -> Training:
    """Return a training with nothing remembered, in a world whose episode is yet to begin."""
    num_runs = len(keys)
    replay = lockstep.init_replay(
        config, num_runs, capacity=capacity, num_environments=num_environments
    )
    nothing = jnp.zeros((num_runs, num_environments, config.observation_size))
    drawn = lockstep.draw_tasks(config, _keys(keys, BEGIN, 0), num_environments=num_environments)
    # What comes from a checkpoint has types of its own, never those of Python's numbers. To be
    # compiled once for both, so has what begins.
    learner = jax.tree.map(lambda leaf: jnp.asarray(leaf, leaf.dtype), learner)
    tally = fresh(num_runs, num_environments)
    return Training(learner, replay, tally, nothing, drawn, keys, step=np.int64(0))


def advance(phases: Sequence[Phase], trainings: Sequence[Training], world: World) -> list[Training]:
    """Return the trainings after one step of all environments.

    The environments of `world` are those of the first training's first run, of its second run,
    and so on to the last training's last. What the trainings hold is given away.
    """
    together = list(zip(phases, trainings, strict=True))
    together = [(phase, _with_task(phase, training)) for phase, training in together]
    if world.ended:
        seen = _parts(together, world.reset())
        pairs = zip(together, seen, strict=True)
        together = [(phase, _begin_episode(phase, each, new)) for (phase, each), new in pairs]
    actions = [_chosen(phase, training) for phase, training in together]
    moves = np.concatenate([np.asarray(each).reshape(-1, each.shape[-1]) for each in actions])
    learned = [_learned(phase, training) for phase, training in together]
    observations, rewards = world.step(moves)
    arrivals = zip(
        together,
        learned,
        actions,
        _parts(together, observations),
        _parts(together, rewards),
        strict=True,
    )
    return [
        _moved(phase, training, news, done, seen, earned, ended=world.ended)
        for (phase, training), news, done, seen, earned in arrivals
    ]


BEGIN, ACT, RENEW, LEARN, FIT = range(5)
"""What a random number is for."""


def _keys_for(keys: Key[Array, " R"], purpose: int, step: Index) -> Key[Array, " R"]:
    return jax.vmap(lambda key: jax.random.fold_in(jax.random.fold_in(key, step), purpose))(keys)


_keys = jax.jit(_keys_for, static_argnums=1)


def _with_task(phase: Phase, training: Training) -> Training:
    """Return the training with the task that its rewards amount to, if now is the time.

    Unless an episode begins here, the last row remembered still names the task before it.
    """
    if not phase.fits_at(int(training.step)):
        return training
    assert phase.fit is not None
    keys = _keys(training.keys, FIT, np.int32(training.step))
    tasks = lockstep.fit_tasks(phase.config, training.learner, training.replay, keys, way=phase.fit)
    tasks = jnp.broadcast_to(tasks[:, None, :], training.tasks.shape)
    return eqx.tree_at(lambda each: each.tasks, training, tasks)


def _begin_episode(phase: Phase, training: Training, first: Float[np.ndarray, "R E O"]) -> Training:
    renews = _renews(phase, int(training.step))
    replay, tasks, observations = _remember_first(
        (phase.config, renews),
        training.replay,
        training.tasks,
        first,
        training.keys,
        np.int32(training.step),
    )
    return eqx.tree_at(
        lambda each: (each.replay, each.tasks, each.observations),
        training,
        (replay, tasks, observations),
    )


def _chosen(phase: Phase, training: Training) -> Float[Array, "R E A"]:
    return _act(
        (phase.config, int(training.step) < phase.random_steps),
        training.learner,
        training.observations,
        training.tasks,
        training.keys,
        np.int32(training.step),
    )


def _learned(phase: Phase, training: Training):
    """Return the learner after this step's learning, and what that was like, if there was any."""
    step = int(training.step)
    num_updates = phase.num_updates(step, training.num_environments)
    if not num_updates:
        return training.learner, None
    return lockstep.learn(
        phase.update,
        phase.config,
        training.learner,
        training.replay,
        _keys(training.keys, LEARN, np.int32(step)),
        num_updates=num_updates,
    )


def _moved(phase, training, news, actions, observations, rewards, *, ended) -> Training:
    learner, metrics = news
    step = training.step + 1
    replay, tasks, tally, seen = _remember(
        (phase.config, _renews(phase, int(step))),
        training.replay,
        training.tally,
        training.tasks,
        actions,
        observations,
        rewards,
        metrics,
        np.bool_(ended),
        training.keys,
        np.int32(step),
    )
    return Training(learner, replay, tally, seen, tasks, training.keys, np.int64(step))


def _renews(phase: Phase, step: int) -> bool:
    return phase.config.has_features and (phase.fit is None or step < phase.learns_from)


def _parts(together: Sequence[tuple[Phase, Training]], rows: np.ndarray) -> list[np.ndarray]:
    """Return each training's share of what the world returned, as [R, E, ...]."""
    shapes = [training.tasks.shape[:2] for _, training in together]
    ends = np.cumsum([runs * environments for runs, environments in shapes])
    pieces = np.split(rows, ends[:-1])
    return [
        piece.reshape(*shape, *rows.shape[1:]) for piece, shape in zip(pieces, shapes, strict=True)
    ]


@partial(jax.jit, static_argnums=0)
def _act(how, learner, observations, tasks, keys, step):
    config, is_random = how
    keys = _keys_for(keys, ACT, step)
    if is_random:
        return lockstep.act_at_random(config, keys, num_environments=tasks.shape[1])
    return within_reach(lockstep.act(config, learner, observations, tasks, keys))


def within_reach(actions: Float[Array, "R E A"]) -> Float[Array, "R E A"]:
    """Return the actions, but nothing for runs whose numbers have grown beyond all bounds.

    APF as printed does that. Such a run then stands still while others go on beside it.
    """
    return jnp.where(jnp.isfinite(actions), actions, 0)


@partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
def _remember(
    how, replay, tally, tasks, actions, observations, rewards, metrics, ended, keys, step
):
    first = jnp.zeros(rewards.shape, bool)
    tasks = _renewed(how, tasks, first, keys, step)
    # Episodes are cut off, never at an end: what follows always counts.
    ones = jnp.ones_like(rewards)
    arrival = Arrival(observations, actions, tasks, rewards, ones, first)
    return (
        lockstep.insert(replay, arrival),
        tasks,
        count(tally, rewards, metrics, ended),
        observations,
    )


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def _remember_first(how, replay, tasks, observations, keys, step):
    shape = tasks.shape[:2]
    first = jnp.ones(shape, bool)
    tasks = _renewed(how, tasks, first, keys, step)
    nothing = jnp.zeros((*shape, how[0].action_size))
    arrival = Arrival(observations, nothing, tasks, jnp.zeros(shape), jnp.ones(shape), first)
    return lockstep.insert(replay, arrival), tasks, observations


def _renewed(how, tasks, first, keys, step):
    config, renews = how
    if not renews:
        return tasks
    return lockstep.renew_tasks(config, tasks, first, step, _keys_for(keys, RENEW, step))
