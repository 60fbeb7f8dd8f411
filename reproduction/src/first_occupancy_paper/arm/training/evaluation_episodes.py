"""Evaluation without exploration noise, while training continues."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from first_occupancy.core.threads import own_settings

from ..learner.agent_state import AgentConfig
from . import lockstep
from .simulated_worlds import SimulatedWorld
from .training_step import RunGroup


def evaluate(
    configs: Sequence[AgentConfig],
    groups: Sequence[RunGroup],
    world: SimulatedWorld,
    *,
    episodes: int,
) -> Future[list[Float[np.ndarray, "R M"]]]:
    """Start to evaluate the groups as they are now, in a thread.

    Each run follows the task of its first environment. Training may continue meanwhile, since the
    simulation leaves the device idle.

    Args:
        configs: settings of each group's agent.
        groups: the runs to evaluate.
        world: world of the evaluation, in use until the future is done.
        episodes: M, episodes of each run.

    Returns:
        A future with each group's returns: those of M episodes of each run.
    """
    # Copies, since training donates the buffers of the originals.
    actors = [jax.tree.map(jnp.copy, each.learner.actor) for each in groups]
    tasks = [jnp.repeat(each.tasks[:, :1], episodes, axis=1) for each in groups]
    as_here = own_settings()

    def play() -> list[Float[np.ndarray, "R M"]]:
        with as_here():
            observations, total = world.reset(), np.zeros(world.num)
            while not world.ended:
                moves = _best(tuple(configs), actors, observations, tasks)
                observations, rewards = world.step(np.asarray(moves))
                total += rewards
        return lockstep.for_groups([each.shape[:2] for each in tasks], total)

    return EVALUATING.submit(play)


EVALUATING = ThreadPoolExecutor(1, "evaluating")


@partial(jax.jit, static_argnums=0)
def _best(configs, actors, observations, tasks):
    seen = lockstep.for_groups([task.shape[:2] for task in tasks], observations)
    groups = zip(configs, actors, seen, tasks, strict=True)
    return lockstep.for_world([lockstep.act(*group) for group in groups])
