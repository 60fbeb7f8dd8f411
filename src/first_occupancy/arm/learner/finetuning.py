"""From pre-training to a task: what is taken along, and which task the rewards amount to.

The published code takes along the actor and the critic's trunk only: the critic's heads, its
target and the features begin anew, and the task is fitted with arguments swapped, to features of
where each window began, every few steps anew. `hand_over` takes all networks along, and
`fit_task`, made once, is of one step's reward by features of where it led, the pairing that
pre-training taught. The published way stands beside them under names that say so: with it, a critic
that overestimates is left behind. At full size it is the one that has learned to reach with the arm
so far; small networks do with both. Optimisers begin anew in both. From there on `ddpg.update`
learns.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.arm.learner import ddpg
from first_occupancy.arm.learner.actor_critic import Critic
from first_occupancy.arm.learner.agent_state import (
    AgentConfig,
    AgentNetworks,
    AgentState,
    assemble,
    init,
)
from first_occupancy.arm.learner.replay import Window
from first_occupancy.arm.learner.task_vectors import least_squares, swapped_least_squares, unit
from first_occupancy.core.axes import PRNGKey


def hand_over(config: AgentConfig, pretrained: AgentNetworks, key: PRNGKey) -> AgentState:
    """Return a learner with all that was learned, and fresh optimisers; `key` is not needed."""
    del config, key
    learner = assemble(
        pretrained.actor, pretrained.critic, pretrained.target_critic, pretrained.features
    )
    # Copies, since the caller may give the old learner's memory away.
    return jax.tree.map(jnp.copy, learner)


def hand_over_as_published(
    config: AgentConfig, pretrained: AgentNetworks, key: PRNGKey
) -> AgentState:
    """Return a fresh learner but for the actor and the critic's trunk.

    The target critic keeps even its own trunk, so at first it knows nothing of the critic.
    """
    fresh = init(config, key)
    critic = Critic(
        pretrained.critic.trunk,
        fresh.critic.hidden,
        fresh.critic.output_weight,
        fresh.critic.output_bias,
    )
    learner = assemble(pretrained.actor, critic, fresh.target_critic, fresh.features)
    return jax.tree.map(jnp.copy, learner)


def fit_task(config: AgentConfig, learner: AgentState, window: Window) -> Float[Array, " D"]:
    """Return the direction of the least-squares fit of first rewards by features they led to.

    Of length one, as all tasks were that the networks have seen.
    """
    features = _features(config, learner, window.next_observations[:, 0])
    return unit(least_squares(features, window.rewards[:, 0]))


def fit_task_as_published(
    config: AgentConfig, learner: AgentState, window: Window
) -> Float[Array, " D"]:
    """Return the direction of the swapped fit of windows' returns by features they began with."""
    features = _features(config, learner, window.observation)
    return unit(swapped_least_squares(features, ddpg.returns(window)[0]))


def _features(
    config: AgentConfig, learner: AgentState, observation: Float[Array, "B O"]
) -> Float[Array, "B D"]:
    assert learner.features is not None
    return unit(learner.features(observation, config.dtype))
