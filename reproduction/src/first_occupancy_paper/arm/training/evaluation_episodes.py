"""Evaluation without exploration noise, while training continues."""

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from first_occupancy.core.threads import own_settings

from ..learner.agent_state import AgentConfig
from . import lockstep
from .simulated_worlds import SimulatedWorld
from .training_step import RunGroup


class EpisodeReturns(NamedTuple):
    """Returns of whole episodes without noise.

    Attributes:
        returns: for each group the returns of M episodes of each run.
        seconds: how long all episodes took.
    """

    returns: list[Float[np.ndarray, "R M"]]
    seconds: float


def evaluate(
    configs: Sequence[AgentConfig],
    groups: Sequence[RunGroup],
    world: SimulatedWorld,
    *,
    episodes: int,
) -> Future[EpisodeReturns]:
    """Start to evaluate the groups as they are now, in a thread.

    Each run follows the task of its first environment. Training may continue meanwhile, since the
    simulation leaves the device idle.

    Args:
        configs: settings of each group's agent.
        groups: the runs to evaluate.
        world: world of the evaluation, in use until the future is done.
        episodes: M, episodes of each run.

    Returns:
        A future with the returns.
    """
    # Copies, since training donates the buffers of the originals.
    actors = [jax.tree.map(jnp.copy, each.learner.actor) for each in groups]
    tasks = [jnp.repeat(each.tasks[:, :1], episodes, axis=1) for each in groups]
    as_here = own_settings()

    def play() -> EpisodeReturns:
        began = time.monotonic()
        with as_here():
            returns = _play(tuple(configs), actors, tasks, world)
        return EpisodeReturns(returns, time.monotonic() - began)

    return EVALUATING.submit(play)


EVALUATING = ThreadPoolExecutor(1, "evaluating")


def _play(configs, actors, tasks, world: SimulatedWorld) -> list[Float[np.ndarray, "R M"]]:
    observations, total = world.reset(), np.zeros(world.num)
    while not world.ended:
        moves = _best(configs, actors, observations, tasks)
        observations, rewards = world.step(np.asarray(moves))
        total += rewards
    sizes = [runs * episodes for runs, episodes, _ in (each.shape for each in tasks)]
    shares = np.split(total, np.cumsum(sizes)[:-1])
    return [share.reshape(each.shape[:2]) for share, each in zip(shares, tasks, strict=True)]


@partial(jax.jit, static_argnums=0)
def _best(configs, actors, observations, tasks):
    seen = lockstep.for_groups([task.shape[:2] for task in tasks], observations)
    groups = zip(configs, actors, seen, tasks, strict=True)
    return lockstep.for_world(
        [lockstep.within_reach(lockstep.act_at_best(*group)) for group in groups]
    )
