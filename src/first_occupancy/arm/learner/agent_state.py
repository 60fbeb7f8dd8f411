"""The settings of DDPG, APS and APF, and all that one run of them learns."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.arm.learner import actor_critic, adam
from first_occupancy.arm.learner.actor_critic import Actor, Critic, Features
from first_occupancy.arm.learner.adam import Moments
from first_occupancy.arm.learner.exploration_reward import RunningMean, initial_mean
from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import InputError, check_discount

AGENTS = ("ddpg", "aps", "apf", "apf_exact", "apf_printed")
PRECISIONS = ("float32", "tensorfloat32", "bfloat16")


@dataclasses.dataclass(frozen=True)
class AgentConfig:
    """Which agent, and its numbers; the defaults are the paper's, from the code it refers to."""

    agent: str = "apf"
    """ddpg: no task, no features. aps: successor features. apf: first-occupancy features, one
    target for each. apf_exact: the same, with all n steps of a window in its target.
    apf_printed: the target as the paper prints it, which grows without bound."""
    observation_size: int = 55
    action_size: int = 9
    num_features: int = 10
    width: int = 1024
    batch: int = 1024
    discount: float = 0.99
    n_step: int = 3
    learning_rate: float = 1e-4
    target_rate: float = 0.01
    noise: float = 0.2
    """Standard deviation of what is added to actions, when acting and when learning."""
    noise_clip: float = 0.3
    """Bound of the noise when learning."""
    neighbours: int = 12
    distance_clip: float = 1e-4
    threshold: float | None = 0.3
    """From which size on a feature (of a vector of length one) counts as reached. Not given in
    the paper; 0.316 is the standard deviation of a random direction's entries in 10 dimensions.
    None: no threshold, features are reached as far as they are positive."""
    bounded: bool = False
    """Whether values are kept within what rewards can be worth (see `bounds`). The published
    agents do not."""
    largest_reward: float = 1.0
    """What a task pays at most; at least it pays nothing. Not looked at unless `bounded`."""
    task_steps: int = 5
    """Steps after which a new task is drawn while pre-training."""
    precision: str = "tensorfloat32"
    """Of matrix products, where the device has a choice. bfloat16 also halves what lies between
    layers (see `layers`): on a GPU the fastest, on a CPU the slowest."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        _check_one_of("agent", self.agent, AGENTS)
        _check_one_of("precision", self.precision, PRECISIONS)
        check_discount("AgentConfig", self.discount)
        for name in COUNTS:
            if getattr(self, name) < 1:
                raise InputError(
                    f"AgentConfig: {name} must be at least 1, got {getattr(self, name)}"
                )
        for name in ("learning_rate", "noise", "noise_clip", "distance_clip"):
            if not getattr(self, name) >= 0:
                raise InputError(
                    f"AgentConfig: {name} must not be negative, got {getattr(self, name)}"
                )
        if self.bounded and self.agent == "apf_printed":
            raise InputError("AgentConfig: bounded is not for apf_printed, which has no bounds")
        if not self.largest_reward > 0:
            raise InputError(
                f"AgentConfig: largest_reward must be positive, got {self.largest_reward}"
            )
        if not 0 <= self.target_rate <= 1:
            raise InputError(f"AgentConfig: target_rate must be in [0, 1], got {self.target_rate}")
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
        """The length of a task: a number for each feature, or nothing."""
        return self.num_features if self.has_features else 0

    @property
    def num_outputs(self) -> int:
        """How many numbers a critic returns: features, and exploration where it stands apart."""
        if not self.has_features:
            return 1
        return self.num_features + self.keeps_exploration_apart

    @property
    def keeps_exploration_apart(self) -> bool:
        """Whether a critic's last output is for exploration and the others for features alone."""
        return self.agent in ("apf", "apf_exact")

    @property
    def dtype(self) -> jnp.dtype:
        """What factors of width by width are rounded to."""
        is_short = self.precision == "bfloat16"
        return jnp.dtype(jnp.bfloat16) if is_short else jnp.zeros(()).dtype


COUNTS = (
    "observation_size",
    "action_size",
    "num_features",
    "width",
    "batch",
    "n_step",
    "neighbours",
    "task_steps",
)


def _check_one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"AgentConfig: {what} must be one of {', '.join(known)}, got {value!r}")


class AgentState(eqx.Module):
    """All that one run has learned, but for what it remembers (`Replay`)."""

    actor: Actor
    critic: Critic
    target_critic: Critic
    features: Features | None
    actor_moments: Moments
    critic_moments: Moments
    features_moments: Moments | None
    distance: RunningMean
    """Of features to their nearest, the scale of the exploration reward."""


class AgentNetworks(eqx.Module):
    """What pre-training leaves behind: a learner's networks."""

    actor: Actor
    critic: Critic
    target_critic: Critic
    features: Features | None


def networks_of(learner: AgentState) -> AgentNetworks:
    """Return what a learner has learned."""
    return AgentNetworks(learner.actor, learner.critic, learner.target_critic, learner.features)


def init(config: AgentConfig, key: PRNGKey) -> AgentState:
    """Return an untrained learner, its target critic the same as its critic."""
    keys = jax.random.split(key, 3)
    seen = config.observation_size + config.task_size
    actor = actor_critic.actor(keys[0], seen, config.width, config.action_size)
    critic = actor_critic.critic(
        keys[1], seen + config.action_size, config.width, config.num_outputs
    )
    features = None
    if config.has_features:
        features = actor_critic.features(
            keys[2], config.observation_size, config.width, config.num_features
        )
    return assemble(actor, critic, jax.tree.map(jnp.copy, critic), features)


def assemble(
    actor: Actor, critic: Critic, target_critic: Critic, features: Features | None
) -> AgentState:
    """Return a learner of these networks whose optimisers have seen nothing yet."""
    return AgentState(
        actor=actor,
        critic=critic,
        target_critic=target_critic,
        features=features,
        actor_moments=adam.init(actor),
        critic_moments=adam.init(critic),
        features_moments=None if features is None else adam.init(features),
        distance=initial_mean(),
    )


class Metrics(eqx.Module):
    """What a step of learning was like, on average over its batch."""

    critic_loss: Float[Array, ""]
    value: Float[Array, ""]
    """The smaller of the twins' values of what the actor does."""
    target: Float[Array, ""]
    largest_target: Float[Array, ""]
    """Of all in the batch, in size: what grows if targets do not contract."""
    reward: Float[Array, ""]
    """The task's, discounted and summed over the window; before a task, the features' part."""
    exploration: Float[Array, ""]
    alignment: Float[Array, ""]
    """How far features point where the task does: the mean of w . phi / |phi|."""
