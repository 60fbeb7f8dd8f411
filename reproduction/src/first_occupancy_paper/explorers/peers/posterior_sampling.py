"""PSRL: draw a world from the posterior, follow its best policy for a while, draw again.

Transitions have a Dirichlet posterior, and mean rewards a normal one. Its prior counts for `weight`
observations of the largest reward, and its standard deviation is `spread` / sqrt(n + `weight`).
"""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, PRNGKey, Scalar

from ..sarsa import choose
from .model import Model, empty, iterate, observe


class Sample(eqx.Module):
    """The model, and the policy of the world drawn last."""

    model: Model
    """Counts and sums of rewards."""
    policy: Float[Array, "A S"]
    """Value of each action in each state of the world drawn last."""


class PosteriorSampler(eqx.Module):
    """Settings of PSRL. Every number but the static ones may be traced."""

    prior: Scalar = 1.0
    """Weight of the Dirichlet prior, shared by all successors."""
    spread: Scalar = 0.01
    """Standard deviation of a reward, in units of the largest."""
    weight: Scalar = 0.01
    """Number of observations for which the prior of a reward counts."""
    discount: Scalar = 0.99
    """Discount factor per step."""
    stretch: int = eqx.field(static=True, default=50)
    """Number of steps for which the policy of one sample is followed."""
    sweeps: int = eqx.field(static=True, default=100)
    """Sweeps of value iteration at each plan, which begins with the values of the last."""

    def start(self, num_states: int, num_actions: int, dtype: jnp.dtype) -> Sample:
        """Return the sample before the first step, in which all actions are alike."""
        model = empty(num_states, num_actions, 1 / (1 - self.discount), dtype)
        return Sample(model, jnp.zeros_like(model.reward_sum))

    def act(self, sample: Sample, state: Index, noise: Scalar) -> Int[Array, ""]:
        """Return the action of the policy of the world drawn last.

        Args:
            sample: what the agent has learned so far.
            state: state of the agent.
            noise: uniform random number from 0 to 1 (exclusive), which breaks ties.
        """
        return choose(sample.policy[:, state], 0.0, noise)

    def learn(
        self, sample: Sample, state: Index, action: Index, reward: Scalar, next_state: Index
    ) -> Sample:
        """Return the sample after a step; its policy stays until `reconsider`.

        Args:
            sample: what the agent has learned before the step.
            state: state before the step.
            action: action taken.
            reward: reward of the step.
            next_state: state after the step.
        """
        return Sample(observe(sample.model, state, action, reward, next_state), sample.policy)

    def reconsider(self, sample: Sample, key: PRNGKey) -> Sample:
        """Return a new world from the posterior, and its best policy.

        Args:
            sample: what the agent has learned so far.
            key: JAX random key.
        """
        model, (chain_key, reward_key) = sample.model, jax.random.split(key)
        num_states = model.counts.shape[-1]
        weights = model.counts + self.prior / num_states
        drawn = jax.random.gamma(chain_key, weights, dtype=weights.dtype)
        drawn = jnp.maximum(drawn, jnp.finfo(drawn.dtype).tiny)
        chains = drawn / drawn.sum(axis=-1, keepdims=True)
        number = model.tries + self.weight
        noise = jax.random.normal(reward_key, number.shape, number.dtype)
        mean = (model.reward_sum + self.weight) / number
        rewards = jnp.minimum(mean + self.spread * noise / jnp.sqrt(number), 1)
        size = {"discount": self.discount, "sweeps": self.sweeps}
        values = iterate(rewards, chains, model.values, **size)
        policy = rewards + self.discount * jnp.einsum("asz,z->as", chains, values)
        return Sample(replace(model, values=values), policy)
