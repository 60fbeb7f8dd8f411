"""Many runs of one agent in lockstep, one per seed: each call serves all of them.

Every array of a learner and of a replay has the runs, R, as its first axis, and each run has a key
of its own, so its results do not depend on the other runs (up to the order in which devices add).
A run may have several environments, E.

`insert` and `learn` work in place: the buffers of the replay or learner they are given are donated.
Calls return at once, and the device works while the caller simulates; only reading a result waits.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import InputError

from ..learner import agent_state as learners
from ..learner import ddpg, finetuning
from ..learner import replay as replays
from ..learner.agent_networks import Actor
from ..learner.agent_state import AgentConfig, AgentNetworks, AgentState, Metrics
from ..learner.replay import Arrival, Replay, Window

Keys = Key[Array, " R"]
Update = Callable[[AgentConfig, AgentState, Window, Array], tuple[AgentState, Metrics]]
"""One update of one run: `pretraining.update` or `ddpg.update`."""


@partial(jax.jit, static_argnames="config")
def init(config: AgentConfig, keys: Keys) -> AgentState:
    """Return an untrained learner for each key.

    Args:
        config: the agent's settings.
        keys: a random key for each run.
    """
    # One run after the other: several batched LAPACK calls in one program have been seen to
    # deadlock on a machine with as many cores as batches.
    return jax.lax.map(partial(learners.init, config), keys)


def init_replay(
    config: AgentConfig, num_runs: int, *, capacity: int, num_environments: int = 1
) -> Replay:
    """Return an empty replay for each run.

    Args:
        config: the agent's settings.
        num_runs: R, the number of runs.
        capacity: rows of each run, those of its environments together.
        num_environments: E, the environments of each run.

    Raises:
        InputError: there is no run or environment, or less than 2 rows for each environment.
    """
    if num_runs < 1:
        raise InputError(f"init_replay: num_runs must be at least 1, got {num_runs}")
    rows = capacity // max(num_environments, 1)
    if num_environments < 1 or rows < 2:
        raise InputError(
            "init_replay: capacity must be at least 2 rows for each of at least 1 environment, "
            f"got {capacity} for {num_environments}"
        )
    shape = (num_runs, num_environments)
    sizes = (config.observation_size, config.action_size, config.task_size)
    return Replay(
        rows=jnp.zeros((*shape, rows, sum(sizes) + 3)),
        starts=jnp.zeros((*shape, rows), jnp.int32),
        oldest=jnp.zeros(shape, jnp.int32),
        newest=jnp.zeros(shape, jnp.int32),
        count=jnp.zeros(num_runs, jnp.int32),
        sizes=sizes,
    )


@partial(jax.jit, donate_argnames="replay")
def insert(replay: Replay, arrival: Arrival) -> Replay:
    """Return the replays with one more row per run and environment; their buffers are donated.

    Args:
        replay: the replays so far.
        arrival: the new rows.

    Raises:
        InputError: a part of the arrival does not fit the rows.
    """
    runs, environments = replay.rows.shape[:2]
    sizes = dict(zip(("observation", "action", "task"), replay.sizes, strict=True))
    for name in ("observation", "action", "task", "reward", "discount", "first"):
        shape = [runs, environments, *([sizes[name]] if name in sizes else [])]
        if (found := list(np.shape(getattr(arrival, name)))) != shape:
            raise InputError(f"insert: {name} must have shape {shape}, got {found}")
    return jax.vmap(replays.insert)(replay, arrival)


@partial(jax.jit, static_argnames="config")
def act(
    config: AgentConfig,
    actor: Actor,
    observations: Float[Array, "R E O"],
    tasks: Float[Array, "R E D"],
    keys: Keys | None = None,
) -> Float[Array, "R E A"]:
    """Return actions of the runs' actors, with 0 in place of those that are not finite.

    The values of APF as printed can overflow. Such a run then stands still while others continue.

    Args:
        config: the agent's settings.
        actor: the runs' policies.
        observations: current observations.
        tasks: current tasks.
        keys: random keys of the noise, for exploration; None: without noise, for evaluation.
    """
    with jax.default_matmul_precision(config.precision):
        actions = jax.vmap(partial(ddpg.act, config))(actor, observations, tasks, keys)
    return jnp.where(jnp.isfinite(actions), actions, 0)


@partial(jax.jit, static_argnames=("config", "num_environments"))
def act_at_random(
    config: AgentConfig, keys: Keys, *, num_environments: int = 1
) -> Float[Array, "R E A"]:
    """Return actions that are uniform in [-1, 1], for the first steps of a run.

    Args:
        config: the agent's settings.
        keys: a random key for each run.
        num_environments: E, the environments of each run.
    """
    shape = (num_environments, config.action_size)
    return jax.vmap(lambda key: jax.random.uniform(key, shape, minval=-1, maxval=1))(keys)


@partial(jax.jit, static_argnames=("update", "config", "num_updates"), donate_argnames="learner")
def learn(
    update: Update,
    config: AgentConfig,
    learner: AgentState,
    replay: Replay,
    keys: Keys,
    num_updates: int,
) -> tuple[AgentState, Metrics]:
    """Return the learners after some updates, in place, and the updates' mean metrics.

    Batches are drawn within the same call, which is compiled once per number of updates.

    Args:
        update: `pretraining.update` or `ddpg.update`.
        config: the agent's settings.
        learner: the runs' states; their buffers are donated.
        replay: the runs' experience, of at least one step.
        keys: random keys of batches and noise.
        num_updates: number of updates, at least 1.
    """
    shape = (2, config.batch, config.action_size)

    def run(learner: AgentState, replay: Replay, key: PRNGKey) -> tuple[AgentState, Metrics]:
        def step(learner: AgentState, chance: tuple[PRNGKey, Array]) -> tuple[AgentState, Metrics]:
            window = replays.sample(config, replay, chance[0], batch=config.batch)
            return update(config, learner, window, chance[1])

        # Noise for all updates at once: many small kernels in each update would take longer.
        draw_key, noise_key = jax.random.split(key)
        noise = jax.random.normal(noise_key, (num_updates, *shape))
        return jax.lax.scan(step, learner, (jax.random.split(draw_key, num_updates), noise))

    with jax.default_matmul_precision(config.precision):
        learner, metrics = jax.vmap(run)(learner, replay, keys)
    return learner, jax.tree.map(lambda metric: metric.mean(axis=1), metrics)


@partial(jax.jit, static_argnames=("config", "way"))
def hand_over(
    config: AgentConfig,
    pretrained: AgentNetworks,
    keys: Keys,
    *,
    way: Callable[[AgentConfig, AgentNetworks, PRNGKey], AgentState] = finetuning.hand_over,
) -> AgentState:
    """Return learners at the start of fine-tuning, by one of the two ways in `finetuning`.

    Args:
        config: the agent's settings.
        pretrained: the runs' pre-trained networks.
        keys: random keys of fresh networks.
        way: `finetuning.hand_over` or `finetuning.hand_over_as_published`.
    """
    return jax.lax.map(lambda run: way(config, *run), (pretrained, keys))  # as in `init`


@partial(jax.jit, static_argnames=("config", "way", "num_windows"))
def fit_tasks(
    config: AgentConfig,
    learner: AgentState,
    replay: Replay,
    keys: Keys,
    *,
    way: finetuning.FitTask = finetuning.fit_task,
    num_windows: int = 4096,
) -> Float[Array, "R D"]:
    """Return the task that fits each run's rewards best, in windows drawn by the keys.

    Args:
        config: the agent's settings.
        learner: the runs' states.
        replay: the runs' experience.
        keys: random keys of the windows.
        way: `finetuning.fit_task` or `finetuning.fit_task_as_published`.
        num_windows: number of windows to fit.
    """

    def fit(learner: AgentState, replay: Replay, key: PRNGKey) -> Array:
        return way(config, learner, replays.sample(config, replay, key, batch=num_windows))

    with jax.default_matmul_precision(config.precision):
        return jax.vmap(fit)(learner, replay, keys)


def for_world(rows: Sequence[Float[Array, "R E A"]]) -> Float[Array, "B A"]:
    """Return what groups have for each environment as rows, one group after the other."""
    return jnp.concatenate([each.reshape(-1, each.shape[-1]) for each in rows])


def for_groups(shapes: Sequence[tuple[int, ...]], rows: Any) -> list[Any]:
    """Return each group's part of what a world returned, as arrays [R, E, ...].

    Args:
        shapes: runs and environments of each group.
        rows: an array with a row per environment, one group after the other.
    """
    parts, begin = [], 0
    for runs, environments in shapes:
        end = begin + runs * environments
        parts.append(rows[begin:end].reshape(runs, environments, *rows.shape[1:]))
        begin = end
    return parts
