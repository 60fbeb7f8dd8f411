r"""Bounds on values (`AgentConfig.bounded`), which keep critics from diverging.

A critic is trained on its own values of the actor's actions, and the actor prefers actions that the
critic overestimates. Where one step's overestimate exceeds what the discount takes away, values
grow without bound, however small the rewards. But their possible range is known:

| value of | at least | at most |
| --- | --- | --- |
| a feature's first occupancy | 0 | 1 |
| exploration, paid once a window | 0 | $h e_{max}$ |
| a task's features (of length one) and exploration | $-h$ | $h + h e_{max}$ |
| a task that pays from 0 to r | 0 | $r / (1 - \gamma)$ |

with $h = 1 / (1 - \gamma^n)$ and $e_{max}$ the largest exploration reward. Clipping the values that
targets are computed from leaves the fixed point unchanged, since it lies within the bounds, and the
update contracts as before. Only the batch's $e_{max}$ is known, which may be smaller: then values
of exploration lag behind. The published agents have no bounds.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from .agent_state import AgentConfig


def of_pretraining(
    config: AgentConfig,
    task: Float[Array, "B D"],
    explored: Float[Array, " B"],
    ahead: Float[Array, "B H"],
) -> Float[Array, "B H"]:
    """Return critics' outputs, clipped to the possible range of values in pre-training.

    Args:
        task: task of each window, of length one.
        explored: exploration rewards of the batch.
        ahead: the target critic's outputs.
    """
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
    """Return values, clipped to the possible returns of rewards from 0 to `largest_reward`."""
    return jnp.clip(values, 0, config.largest_reward / (1 - config.discount))
