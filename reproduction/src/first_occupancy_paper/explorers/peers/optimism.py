r"""R-MAX and MBIE-EB: plan in a model that is as good as the data allow.

$$Q(s, a) = \hat r + \beta / \sqrt{n} + \gamma \hat P V \quad\text{if } n \ge m, \qquad
Q(s, a) = V_{\max} = 1 / (1 - \gamma) \text{ otherwise}$$

R-MAX has no bonus ($\beta = 0$) and calls a pair known after m tries; MBIE-EB has a bonus and calls
it known after the first. Between plans, every `stretch` steps, actions are chosen by a step of
look-ahead on the counts of the moment.
"""

from dataclasses import replace

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, PRNGKey, Scalar

from ..sarsa import choose
from .model import Model, empty, iterate, observe


class OptimisticPlanner(eqx.Module):
    """Settings of R-MAX and MBIE-EB. Every number but the static ones may be traced."""

    known: Scalar = 1.0
    """Number of tries m from which on a pair is known."""
    bonus: Scalar = 0.0
    r"""Factor $\beta$ of the bonus, in units of the largest reward."""
    discount: Scalar = 0.99
    """Discount factor per step."""
    stretch: int = eqx.field(static=True, default=10)
    """Number of steps between plans."""
    sweeps: int = eqx.field(static=True, default=20)
    """Sweeps of value iteration at each plan, which begins with the values of the last."""

    def start(self, num_states: int, num_actions: int, dtype: jnp.dtype) -> Model:
        """Return the model before the first step, in which every value is the largest one."""
        return empty(num_states, num_actions, 1 / (1 - self.discount), dtype)

    def act(self, model: Model, state: Index, noise: Scalar) -> Int[Array, ""]:
        """Return the best action by a step of look-ahead.

        Args:
            model: what the agent has learned so far.
            state: state of the agent.
            noise: uniform random number from 0 to 1 (exclusive), which breaks ties.
        """
        rewards, chains = self._rows(model.reward_sum[:, state], model.counts[:, state])
        return choose(rewards + self.discount * chains @ model.values, 0.0, noise)

    def learn(
        self, model: Model, state: Index, action: Index, reward: Scalar, next_state: Index
    ) -> Model:
        """Return the model after a step.

        Args:
            model: what the agent has learned before the step.
            state: state before the step.
            action: action taken.
            reward: reward of the step.
            next_state: state after the step.
        """
        return observe(model, state, action, reward, next_state)

    def reconsider(self, model: Model, key: PRNGKey) -> Model:
        """Return the model with the values of a new plan.

        Args:
            model: what the agent has learned so far.
            key: JAX random key, which is not used.
        """
        del key
        rewards, chains = self._rows(model.reward_sum, model.counts)
        size = {"discount": self.discount, "sweeps": self.sweeps}
        return replace(model, values=iterate(rewards, chains, model.values, **size))

    def _rows(
        self, reward_sum: Float[Array, "..."], counts: Float[Array, "... S"]
    ) -> tuple[Array, Array]:
        """Return optimistic rewards and chains; an unknown pair pays all there is, and ends."""
        tries = counts.sum(axis=-1)
        known, safe = tries >= self.known, jnp.maximum(tries, 1)
        most = 1 / (1 - self.discount)
        optimistic = jnp.minimum(reward_sum / safe + self.bonus / jnp.sqrt(safe), most)
        rewards = jnp.where(known, optimistic, most)
        return rewards, jnp.where(known[..., None], counts / safe[..., None], 0)
