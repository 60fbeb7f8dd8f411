r"""DDPG with twin critics: a deterministic actor ascends the values that critics learn by TD.

$$y = \sum_{i<n} \gamma^i r_{t+i} + \gamma^n \min_j Q'_j(s_{t+n}, a'), \qquad
a' = \pi(s_{t+n}) + \mathrm{clip}(\mathcal N(0, \sigma^2), \pm c)$$

A critic returns a vector $\psi$, and $Q = u(w) \cdot \psi$ where `readout` gives u: the task w for
APS, the task and a 1 for APF, which keeps exploration apart, and 1 for DDPG. So the same `update`
trains DDPG from scratch and fine-tunes the other agents on a task's reward.

As in the code that the paper refers to, the critics are updated first, then the actor against the
new critics, then the target critics. There is no target actor, and the actor's own actions are
noisy in its loss. `update` is pure and for one run; `training.lockstep` maps it over many.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey

from . import adam, value_bounds
from .agent_networks import Actor, Critic
from .agent_state import AgentConfig, AgentState, Metrics
from .replay import Window

Errors = Callable[[Float[Array, "B 2 H"]], Float[Array, "B 2 K"]]
"""From the outputs of both critics to their errors."""


def readout(config: AgentConfig, task: Float[Array, "B D"]) -> Float[Array, "B H"]:
    """Return the weights u(w) that turn a critic's outputs into values.

    Args:
        config: the agent's settings.
        task: task of each row of the batch.
    """
    one = jnp.ones((len(task), 1), task.dtype)
    if not config.has_features:
        return one
    return jnp.concatenate([task, one], axis=1) if config.keeps_exploration_apart else task


def values(outputs: Float[Array, "B 2 H"], weights: Float[Array, "B H"]) -> Float[Array, "B 2"]:
    """Return Q of both critics.

    Args:
        outputs: what both critics return.
        weights: the readout u(w).
    """
    return (outputs * weights[:, None, :]).sum(axis=2)


def smaller(outputs: Float[Array, "B 2 H"], weights: Float[Array, "B H"]) -> Float[Array, "B H"]:
    """Return the outputs of the twin with the smaller Q.

    Taking the smaller of each output instead would be pessimistic for tasks with a positive weight
    on it, and optimistic for the others.

    Args:
        outputs: what both critics return.
        weights: the readout u(w).
    """
    both = values(outputs, weights)
    return jnp.where((both[:, 0] <= both[:, 1])[:, None], outputs[:, 0], outputs[:, 1])


def returns(window: Window) -> tuple[Float[Array, " B"], Float[Array, " B"]]:
    """Return each window's discounted return and the discount on what follows it."""
    after = jnp.cumprod(window.discounts, axis=1)
    before = jnp.concatenate([jnp.ones_like(after[:, :1]), after[:, :-1]], axis=1)
    return (before * window.rewards).sum(axis=1), after[:, -1]


def with_noise(
    config: AgentConfig, action: Float[Array, "B A"], noise: Float[Array, "B A"]
) -> Float[Array, "B A"]:
    """Return actions with clipped noise, within [-1, 1]; gradients ignore noise and clipping.

    Args:
        config: the agent's settings.
        action: actions without noise.
        noise: standard normal numbers.
    """
    noise = jnp.clip(config.noise * noise, -config.noise_clip, config.noise_clip)
    moved = jnp.clip(action + noise, -1, 1)
    return action + jax.lax.stop_gradient(moved - action)


def bootstrap(
    config: AgentConfig, learner: AgentState, window: Window, noise: Float[Array, "B A"]
) -> Float[Array, "B H"]:
    """Return the target critics' outputs where windows end, of the twin with the smaller Q.

    Args:
        config: the agent's settings.
        learner: the state of the agent.
        window: the batch.
        noise: standard normal numbers, for the actor's actions there.
    """
    arrived = window.next_observations[:, -1]
    action = with_noise(config, learner.actor(arrived, window.task, config.dtype), noise)
    outputs = learner.target_critic(arrived, window.task, action, config.dtype)
    return smaller(outputs, readout(config, window.task))


def value_errors(target: Float[Array, " B"], weights: Float[Array, "B H"]) -> Errors:
    """Return the error function of critics with one target for their value.

    Args:
        target: target of each row of the batch.
        weights: the readout u(w).
    """
    return lambda outputs: (values(outputs, weights) - target[:, None])[:, :, None]


def output_errors(target: Float[Array, "B H"]) -> Errors:
    """Return the error function of critics with a target for each of their outputs."""
    return lambda outputs: outputs - target[:, None, :]


def update(
    config: AgentConfig, learner: AgentState, window: Window, noise: Float[Array, "2 B A"]
) -> tuple[AgentState, Metrics]:
    """Return the learner after one update on the task's reward, and the update's metrics.

    Args:
        config: the agent's settings.
        learner: the state of the agent.
        window: the batch.
        noise: standard normal numbers for actions where windows end, and for the actor's actions
            where they begin.
    """
    weights = readout(config, window.task)
    rewards, discount = returns(window)
    ahead = (bootstrap(config, learner, window, noise[0]) * weights).sum(axis=1)
    if config.bounded:
        ahead = value_bounds.of_task(config, ahead)
    target = rewards + discount * ahead
    learner, loss, value = improve(config, learner, window, value_errors(target, weights), noise[1])
    zero = jnp.zeros_like(value)
    largest = jnp.abs(target).max()
    return learner, Metrics(loss, value, target.mean(), largest, rewards.mean(), zero, zero)


def improve(
    config: AgentConfig,
    learner: AgentState,
    window: Window,
    errors: Errors,
    noise: Float[Array, "B A"],
) -> tuple[AgentState, Float[Array, ""], Float[Array, ""]]:
    """Return the learner with critics, actor and target critics updated, the loss and the value.

    Args:
        config: the agent's settings.
        learner: the state of the agent.
        window: the batch.
        errors: from the critics' outputs to their errors.
        noise: standard normal numbers, for the actor's actions where windows begin.
    """
    critic_loss, gradient = jax.value_and_grad(_critic_loss)(learner.critic, config, window, errors)
    critic, critic_moments = adam.descend(
        learner.critic, gradient, learner.critic_moments, step_size=config.learning_rate
    )
    actor_loss, gradient = jax.value_and_grad(_actor_loss)(
        learner.actor, config, critic, window, noise
    )
    actor, actor_moments = adam.descend(
        learner.actor, gradient, learner.actor_moments, step_size=config.learning_rate
    )
    target_critic = jax.tree.map(
        lambda old, new: old + config.target_rate * (new - old), learner.target_critic, critic
    )
    learner = eqx.tree_at(
        lambda x: (x.critic, x.critic_moments, x.actor, x.actor_moments, x.target_critic),
        learner,
        (critic, critic_moments, actor, actor_moments, target_critic),
    )
    return learner, critic_loss, -actor_loss


def _critic_loss(
    critic: Critic, config: AgentConfig, window: Window, errors: Errors
) -> Float[Array, ""]:
    """Return the squared errors, summed over twins and outputs and averaged over the batch."""
    outputs = critic(window.observation, window.task, window.action, config.dtype)
    return (errors(outputs) ** 2).sum(axis=(1, 2)).mean()


def _actor_loss(
    actor: Actor, config: AgentConfig, critic: Critic, window: Window, noise: Float[Array, "B A"]
) -> Float[Array, ""]:
    """Return minus the mean of the smaller Q of the actor's actions."""
    action = actor(window.observation, window.task, config.dtype)
    action = with_noise(config, action, noise)
    outputs = critic(window.observation, window.task, action, config.dtype)
    return -values(outputs, readout(config, window.task)).min(axis=1).mean()


def act(
    config: AgentConfig,
    actor: Actor,
    observation: Float[Array, "E O"],
    task: Float[Array, "E D"],
    key: PRNGKey | None,
) -> Float[Array, "E A"]:
    """Return the actor's actions, for exploration with noise, within [-1, 1].

    Args:
        config: the agent's settings.
        actor: the policy.
        observation: observation of each environment.
        task: task of each environment.
        key: random key of the noise; None: without noise.
    """
    action = actor(observation, task, config.dtype)
    if key is None:
        return action
    noise = jax.random.normal(key, action.shape, action.dtype)
    return jnp.clip(action + config.noise * noise, -1, 1)
