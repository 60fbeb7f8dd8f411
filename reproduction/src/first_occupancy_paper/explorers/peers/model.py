"""Counts of what each action did in each state, and value iteration on what they say."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.core.axes import Index, Scalar


class Model(eqx.Module):
    """Counts of transitions and sums of rewards, and the values of the last plan."""

    counts: Float[Array, "A S S"]
    """How often each action has led from one state to another."""
    reward_sum: Float[Array, "A S"]
    """Sum of the rewards of each action in each state."""
    values: Float[Array, " S"]
    """Value of each state by the last plan."""

    @property
    def tries(self) -> Float[Array, "A S"]:
        """How often each action was taken in each state."""
        return self.counts.sum(axis=-1)


def empty(num_states: int, num_actions: int, value: Scalar, dtype: jnp.dtype) -> Model:
    """Return a model before the first step."""
    counts = jnp.zeros((num_actions, num_states, num_states), dtype)
    return Model(counts, counts[..., 0], jnp.full(num_states, value, dtype))


def observe(model: Model, state: Index, action: Index, reward: Scalar, next_state: Index) -> Model:
    """Return the model updated with one step; `values` stay until the next value iteration."""
    counts = model.counts.at[action, state, next_state].add(1)
    return Model(counts, model.reward_sum.at[action, state].add(reward), model.values)


def iterate(
    rewards: Float[Array, "A S"],
    chains: Float[Array, "A S S"],
    values: Float[Array, " S"],
    *,
    discount: Scalar,
    sweeps: int,
) -> Float[Array, " S"]:
    """Return the values after some sweeps of value iteration.

    Args:
        rewards: expected reward of each action in each state.
        chains: transition probabilities of each action; rows may sum to less than 1.
        values: values with which the sweeps begin.
        discount: discount factor per step.
        sweeps: number of sweeps.
    """

    def sweep(_: Array, values: Array) -> Array:
        return (rewards + discount * jnp.einsum("asz,z->as", chains, values)).max(axis=0)

    return jax.lax.fori_loop(0, sweeps, sweep, values)
