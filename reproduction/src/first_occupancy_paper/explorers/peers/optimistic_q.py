r"""Q-learning with optimistic initial values and a bonus that falls with the square root of tries.

$$Q(s, a) \leftarrow (1 - \alpha_n)\, Q(s, a) + \alpha_n\,[\,r + b / \sqrt{n}
+ \gamma \min(V_{\max}, \max_{a'} Q(s', a'))\,], \qquad \alpha_n = (H + 1) / (H + n)$$

with $H = 1 / (1 - \gamma)$ and Q = $V_{\max}$ = H at first, in units of the largest reward.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, PRNGKey, Scalar

from ..sarsa import choose


class Values(eqx.Module):
    """Action values and numbers of tries."""

    values: Float[Array, "A S"]
    """Value Q of each action in each state."""
    tries: Float[Array, "A S"]
    """How often each action was taken in each state."""


class OptimisticQ(eqx.Module):
    """Settings of optimistic Q-learning. Every number but the static one may be traced."""

    bonus: Scalar = 0.0
    """Factor b of the bonus, in units of the largest reward."""
    horizon: Scalar = 10.0
    """H in the step size, which is large for long horizons."""
    discount: Scalar = 0.99
    """Discount factor per step."""
    stretch: int = eqx.field(static=True, default=10)
    """Only for `trials`, whose loops are as long; nothing is reconsidered."""

    def start(self, num_states: int, num_actions: int, dtype: jnp.dtype) -> Values:
        """Return the values before the first step, the largest that there can be."""
        values = jnp.full((num_actions, num_states), 1 / (1 - self.discount), dtype)
        return Values(values, jnp.zeros_like(values))

    def act(self, known: Values, state: Index, noise: Scalar) -> Int[Array, ""]:
        """Return the best action."""
        return choose(known.values[:, state], 0.0, noise)

    def learn(
        self, known: Values, state: Index, action: Index, reward: Scalar, next_state: Index
    ) -> Values:
        """Return the values after a step.

        Args:
            known: what the agent has learned before the step.
            state: state before the step.
            action: action taken.
            reward: reward of the step.
            next_state: state after the step.
        """
        tries = known.tries.at[action, state].add(1)
        number = tries[action, state]
        rate = (self.horizon + 1) / (self.horizon + number)
        most = 1 / (1 - self.discount)
        ahead = jnp.minimum(known.values[:, next_state].max(), most)
        target = reward + self.bonus / jnp.sqrt(number) + self.discount * ahead
        change = rate * (target - known.values[action, state])
        return Values(known.values.at[action, state].add(change), tries)

    def reconsider(self, known: Values, key: PRNGKey) -> Values:
        """Return the values as they are.

        Args:
            known: what the agent has learned so far.
            key: JAX random key, which is not used.
        """
        del key
        return known
