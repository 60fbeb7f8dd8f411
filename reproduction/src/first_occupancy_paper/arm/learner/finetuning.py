"""From pre-training to a task: which networks are kept, and how a task is fitted to rewards.

| | networks kept | task |
| --- | --- | --- |
| as published | actor and the critic's trunk | refitted every few steps, by a swapped regression |
| repaired | all | fitted once, by least squares |

The published code regresses the features at the start of a window on its return, with the
arguments swapped. The repaired fit regresses one step's reward on the features after the step,
which is the pairing that pre-training taught. Optimisers are reset in both, and `ddpg.update`
learns from there on. The published way discards an overestimating critic; at full size it is the
only one that has learned to reach so far, while small networks learn with both.
"""

from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey

from . import ddpg
from .agent_state import AgentConfig, AgentNetworks, AgentState, assemble, init
from .replay import Window
from .task_vectors import least_squares, swapped_least_squares, unit

FitTask = Callable[[AgentConfig, AgentState, Window], Float[Array, " D"]]
"""From rewards to a task: `fit_task` or `fit_task_as_published`."""


def hand_over(config: AgentConfig, pretrained: AgentNetworks, key: PRNGKey) -> AgentState:
    """Return a learner with all pre-trained networks and fresh optimisers.

    Args:
        config: not used; as in `hand_over_as_published`.
        pretrained: the networks that pre-training has learned.
        key: not used; as in `hand_over_as_published`.
    """
    del config, key
    # Copies, since the caller may donate the old learner's buffers.
    return jax.tree.map(jnp.copy, assemble(pretrained))


def hand_over_as_published(
    config: AgentConfig, pretrained: AgentNetworks, key: PRNGKey
) -> AgentState:
    """Return a fresh learner with the pre-trained actor and critic's trunk.

    The target critic is entirely fresh, so at first it does not resemble the critic.

    Args:
        pretrained: the networks that pre-training has learned.
        key: random key of the fresh networks.
    """
    fresh = init(config, key)
    critic = eqx.tree_at(lambda each: each.trunk, fresh.critic, pretrained.critic.trunk)
    networks = AgentNetworks(pretrained.actor, critic, fresh.target_critic, fresh.features)
    return jax.tree.map(jnp.copy, assemble(networks))


def fit_task(config: AgentConfig, learner: AgentState, window: Window) -> Float[Array, " D"]:
    """Return the least-squares fit of the windows' first rewards by the features reached there.

    It is scaled to length one, as all tasks of pre-training are.
    """
    features = _features(config, learner, window.next_observations[:, 0])
    return unit(least_squares(features, window.rewards[:, 0]))


def fit_task_as_published(
    config: AgentConfig, learner: AgentState, window: Window
) -> Float[Array, " D"]:
    """Return the swapped fit of windows' returns and the features at their start, of length one."""
    features = _features(config, learner, window.observation)
    return unit(swapped_least_squares(features, ddpg.returns(window)[0]))


class HandOver(NamedTuple):
    """One of the two ways from pre-training to fine-tuning.

    Attributes:
        hand_over: makes a learner from the pre-trained networks.
        fit: fits a task to rewards when learning starts.
        refits: whether the task is fitted again whenever a new one would otherwise be drawn.
    """

    hand_over: Callable[[AgentConfig, AgentNetworks, PRNGKey], AgentState]
    fit: FitTask
    refits: bool


HAND_OVERS = {
    "repaired": HandOver(hand_over, fit_task, refits=False),
    "as_published": HandOver(hand_over_as_published, fit_task_as_published, refits=True),
}


def _features(
    config: AgentConfig, learner: AgentState, observation: Float[Array, "B O"]
) -> Float[Array, "B D"]:
    assert learner.features is not None
    return unit(learner.features(observation, config.dtype))
