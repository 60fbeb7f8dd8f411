"""How the TD errors of FRs and SRs fall while the base policies are run (Fig. "4rooms_curves")."""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.environments import four_rooms
from first_occupancy_paper.experiments.four_rooms.config import Config
from first_occupancy_paper.experiments.four_rooms.learning import (
    FR,
    SR,
    learning_errors,
    no_luck,
    uniforms,
    walk_from_everywhere,
)
from first_occupancy_paper.rows.row import Row


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each representation and policy: every run's errors in each episode."""
    world = four_rooms()
    shape = (world.num_actions, config.runs, config.learning_episodes, world.num_states)
    (orders,) = uniforms(jax.random.key(seed), shape)
    walks = [
        walk_from_everywhere(world.next_states, action, order, no_luck(config.steps, order))
        for action in range(world.num_actions)
        for order in orders[action]
    ]
    # The FR and the SR learn from the same walks.
    errors = learning_errors(
        jnp.asarray(np.stack(walks * 2)),
        jnp.asarray(np.repeat([FR, SR], len(walks))),
        discount=config.discount,
        step_size=config.step_size,
    )
    curves = np.asarray(errors).reshape(2, *shape[:3])
    for name, by_policy in zip(("FR", "SR"), curves, strict=True):
        for policy, runs in zip(world.action_names, by_policy, strict=True):
            yield {"representation": name, "policy": policy, "errors": runs.tolist()}
