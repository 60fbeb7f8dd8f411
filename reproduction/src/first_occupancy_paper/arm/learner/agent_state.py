"""The settings of DDPG, APS and APF, and the state that one run of them learns."""

import dataclasses
from typing import Annotated

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.core.arguments import (
    Discount,
    Limits,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Share,
)
from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.settings import OneOf, check_settings

from . import adam, agent_networks
from .adam import Moments
from .agent_networks import Actor, Critic, Features
from .exploration_reward import RunningMean, initial_mean

AGENTS = ("ddpg", "aps", "apf", "apf_exact", "apf_printed")
PRECISIONS = ("float32", "tensorfloat32", "bfloat16")


@dataclasses.dataclass(frozen=True)
class AgentConfig:
    """Which agent, and its hyperparameters; defaults are those of the code the paper refers to."""

    agent: Annotated[str, OneOf(AGENTS)] = "apf"
    """ddpg: no task, no features. aps: successor features. apf: first-occupancy features, with one
    target per feature. apf_exact: the same, with every step of a window in its target.
    apf_printed: the target as the paper prints it, which grows without bound."""
    observation_size: PositiveInt = 55
    """Length of an observation."""
    action_size: PositiveInt = 9
    """Length of an action."""
    num_features: PositiveInt = 10
    """Number of features, and length of a task vector; not used by ddpg."""
    width: PositiveInt = 1024
    """Units of each hidden layer."""
    batch: PositiveInt = 1024
    """Windows per update."""
    discount: Discount = 0.99
    """Discount factor per step."""
    n_step: PositiveInt = 3
    """Steps of a window, after which targets bootstrap."""
    learning_rate: NonNegativeFloat = 1e-4
    """Step size of Adam, for all networks."""
    target_rate: Share = 0.01
    """Fraction by which the target critics move towards the critics in each update."""
    noise: NonNegativeFloat = 0.2
    """Standard deviation of the noise on actions, both when acting and when learning."""
    noise_clip: NonNegativeFloat = 0.3
    """Bound on the noise when learning."""
    neighbours: Annotated[int, Limits(least=2)] = 12
    """Nearest neighbours in the exploration reward, the point itself included."""
    distance_clip: NonNegativeFloat = 1e-4
    """Subtracted from relative distances in the exploration reward."""
    threshold: float | None = 0.3
    """A feature (an entry of a unit vector) counts as reached from this size on. Not given in the
    paper; 0.316 is the standard deviation of a random direction's entries in 10 dimensions. None:
    no threshold, features are reached to the degree that they are positive."""
    bounded: bool = False
    """Whether values are clipped to the range of possible returns (`value_bounds`). The published
    agents do not clip them."""
    largest_reward: PositiveFloat = 1.0
    """Largest reward of a task, whose smallest reward is 0; used only if `bounded`."""
    task_steps: PositiveInt = 5
    """Steps between two draws of a task during pre-training."""
    precision: Annotated[str, OneOf(PRECISIONS)] = "tensorfloat32"
    """Precision of matrix products, if the device offers a choice. bfloat16 also halves the size
    of activations (see `layers`): it is the fastest on a GPU and the slowest on a CPU."""

    def __post_init__(self) -> None:
        """Raise for settings that cannot be run."""
        check_settings(self, "AgentConfig")
        if self.bounded and self.agent == "apf_printed":
            raise InputError("AgentConfig: bounded is not for apf_printed, which has no bounds")
        if self.neighbours > self.batch:
            raise InputError(
                f"AgentConfig: neighbours must be at most the batch of {self.batch}, "
                f"got {self.neighbours}"
            )

    @property
    def has_features(self) -> bool:
        """Whether the agent has features and follows tasks: all but DDPG."""
        return self.agent != "ddpg"

    @property
    def task_size(self) -> int:
        """The length of a task vector: one entry per feature, or 0 for DDPG."""
        return self.num_features if self.has_features else 0

    @property
    def num_outputs(self) -> int:
        """Length of a critic's output: one per feature, and one for exploration if separate."""
        if not self.has_features:
            return 1
        return self.num_features + self.keeps_exploration_apart

    @property
    def keeps_exploration_apart(self) -> bool:
        """Whether exploration has an output of its own, the last of a critic."""
        return self.agent in ("apf", "apf_exact")

    @property
    def dtype(self) -> jnp.dtype:
        """The precision that wide layers round to."""
        is_short = self.precision == "bfloat16"
        return jnp.dtype(jnp.bfloat16) if is_short else jnp.zeros(()).dtype


class AgentNetworks(eqx.Module):
    """The networks of an agent, which pre-training hands over to fine-tuning.

    Attributes:
        actor: the policy.
        critic: the twin critics.
        target_critic: the slowly updated copy that targets are computed with.
        features: the feature network; None for DDPG.
    """

    actor: Actor
    critic: Critic
    target_critic: Critic
    features: Features | None


class AgentState(AgentNetworks):
    """Everything that one run has learned, except its experience (`Replay`).

    Attributes:
        actor_moments: the actor's optimiser state.
        critic_moments: the critics' optimiser state.
        features_moments: the feature network's optimiser state; None for DDPG.
        distance: mean distance of features to their nearest neighbours, which scales the
            exploration reward.
    """

    actor_moments: Moments
    critic_moments: Moments
    features_moments: Moments | None
    distance: RunningMean


def networks_of(learner: AgentState) -> AgentNetworks:
    """Return the networks of a learner, without its optimisers."""
    return AgentNetworks(learner.actor, learner.critic, learner.target_critic, learner.features)


def init(config: AgentConfig, key: PRNGKey) -> AgentState:
    """Return an untrained learner, with a target critic equal to its critic.

    Args:
        key: random key of the networks' weights.
    """
    keys = jax.random.split(key, 3)
    seen = config.observation_size + config.task_size
    actor = agent_networks.actor(keys[0], seen, config.width, config.action_size)
    critic = agent_networks.critic(
        keys[1], seen + config.action_size, config.width, config.num_outputs
    )
    features = None
    if config.has_features:
        features = agent_networks.features(
            keys[2], config.observation_size, config.width, config.num_features
        )
    return assemble(AgentNetworks(actor, critic, jax.tree.map(jnp.copy, critic), features))


def assemble(networks: AgentNetworks) -> AgentState:
    """Return a learner with these networks and fresh optimisers."""
    actor, critic, features = networks.actor, networks.critic, networks.features
    return AgentState(
        actor=actor,
        critic=critic,
        target_critic=networks.target_critic,
        features=features,
        actor_moments=adam.init(actor),
        critic_moments=adam.init(critic),
        features_moments=None if features is None else adam.init(features),
        distance=initial_mean(),
    )


class Metrics(eqx.Module):
    """Metrics of one update, averaged over its batch unless stated otherwise.

    Attributes:
        critic_loss: squared errors, summed over twins and outputs.
        value: value of the actor's actions, by the twin that gives the smaller one.
        target: target of the value.
        largest_target: largest absolute target in the batch, which grows if targets do not
            contract.
        reward: in fine-tuning the task's reward, discounted and summed over the window; in
            pre-training the features' part of the reward.
        exploration: exploration reward; 0 in fine-tuning.
        alignment: alignment of features with the task, w . phi / |phi|; 0 in fine-tuning.
    """

    critic_loss: Float[Array, ""]
    value: Float[Array, ""]
    target: Float[Array, ""]
    largest_target: Float[Array, ""]
    reward: Float[Array, ""]
    exploration: Float[Array, ""]
    alignment: Float[Array, ""]
