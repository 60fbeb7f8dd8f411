r"""What values can be, given what rewards can be: a rail for critics that lead themselves astray.

A critic is trained on its own values of what the actor does, and the actor does what the critic
overestimates. Where one step's overestimate is more than what the discount takes away, values
grow without end, however small the rewards. What they can truly be is known:

| value of | at least | at most |
| --- | --- | --- |
| a feature's first occupancy | 0 | 1 |
| exploration, paid once a window | 0 | $h e_{max}$ |
| a task's features (of length one) and exploration | $-h$ | $h + h e_{max}$ |
| a task that pays from 0 to r | 0 | $r / (1 - \gamma)$ |

with $h = 1 / (1 - \gamma^n)$ and $e_{max}$ the largest exploration reward. To clip what targets
are made of leaves their fixed point where it is, since that lies within, and contracts as before.
Of $e_{max}$ only the batch's is known, which may be less: values of exploration then lag behind.
The published agents do not do this (`AgentConfig.bounded`).
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.arm.learner.agent_state import AgentConfig


def of_pretraining(
    config: AgentConfig,
    task: Float[Array, "B D"],
    explored: Float[Array, " B"],
    ahead: Float[Array, "B H"],
) -> Float[Array, "B H"]:
    """Return critics' outputs whose values of a task, of length one, can be true."""
    windows = 1 / (1 - config.discount**config.n_step)
    most = explored.max() * windows
    if config.keeps_exploration_apart:
        return jnp.concatenate(
            [jnp.clip(ahead[:, :-1], 0, 1), jnp.clip(ahead[:, -1:], 0, most)], axis=1
        )
    value = (task * ahead).sum(axis=1)
    excess = value - jnp.clip(value, -windows, windows + most)
    return ahead - excess[:, None] * task


def of_task(config: AgentConfig, values: Float[Array, " B"]) -> Float[Array, " B"]:
    """Return values that can be true where a task pays from nothing to `largest_reward`."""
    return jnp.clip(values, 0, config.largest_reward / (1 - config.discount))
