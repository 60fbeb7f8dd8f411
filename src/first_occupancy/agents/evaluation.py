"""How well agents do without the noise they learn by."""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from first_occupancy.agents import lockstep
from first_occupancy.agents.groups import parts, within_reach
from first_occupancy.agents.learner import AgentConfig
from first_occupancy.agents.training import Training
from first_occupancy.agents.worlds import World


def evaluate(
    configs: Sequence[AgentConfig],
    trainings: Sequence[Training],
    world: World,
    *,
    episodes: int,
) -> list[Float[np.ndarray, "R M"]]:
    """Return the rewards of a whole episode without noise, M for each run of each training.

    Each run follows the task of its first environment.
    """
    sizes = [len(each.keys) * episodes for each in trainings]
    tasks = [jnp.repeat(each.tasks[:, :1], episodes, axis=1) for each in trainings]
    observations, total = world.reset(), np.zeros(world.num)
    actors = [each.learner.actor for each in trainings]
    while not world.ended:
        moves = _best(tuple(configs), actors, observations, tasks)
        observations, rewards = world.step(np.asarray(moves))
        total += rewards
    parts = np.split(total, np.cumsum(sizes)[:-1])
    return [part.reshape(-1, episodes) for part in parts]


@partial(jax.jit, static_argnums=0)
def _best(configs, actors, observations, tasks):
    seen = parts([task.shape[:2] for task in tasks], observations)
    groups = zip(configs, actors, seen, tasks, strict=True)
    actions = [within_reach(lockstep.act_at_best(*group)) for group in groups]
    return jnp.concatenate([each.reshape(-1, each.shape[-1]) for each in actions])
