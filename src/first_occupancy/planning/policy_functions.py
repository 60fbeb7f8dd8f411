"""Plans as functions from states to actions, for `jit`, `vmap` and `scan`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from first_occupancy.core.errors import InputError
from first_occupancy.planning.plans import NOTHING, Plan

if TYPE_CHECKING:
    from first_occupancy.interop.enumeration.jax_worlds import JaxWorld


class PlanFunction(eqx.Module):
    """A plan as a function of the environment's state.

    Where the plan has nothing to follow, that is at the goal, in states that were not met, and
    where the goal cannot be reached, the action is 0; `knows` says where.

    Attributes:
        number: function from a state to its number.
        policy: base policy to follow from each state; -1 for none.
        tables: action of each base policy in each state, or its probabilities.
    """

    number: Callable[[Any], Array]
    policy: Int[Array, " S"]
    tables: Array

    def __call__(self, state: Any, key: Any = None) -> Int[Array, ""]:
        """Return the action in a state.

        Args:
            key: JAX random key; needed where base policies are given by probabilities.
        """
        here = self.number(state)
        policy = jnp.where(here < 0, NOTHING, self.policy[here])
        row = self.tables[policy, here]
        if self.tables.ndim == 2:
            return jnp.where(policy == NOTHING, 0, row).astype(jnp.int32)
        if key is None:
            raise InputError("PlanFunction: key must be given where base policies are stochastic")
        drawn = jax.random.categorical(key, jnp.log(row))
        return jnp.where(policy == NOTHING, 0, drawn).astype(jnp.int32)

    def knows(self, state: Any) -> Array:
        """Return whether the plan says what to do in a state."""
        here = self.number(state)
        return (here >= 0) & (self.policy[here] != NOTHING)

    def predict(self, observation: Any, *, deterministic: bool = True) -> tuple[int, None]:
        """Return the action, as Stable-Baselines3 models do.

        Args:
            deterministic: ignored; the base policies must be deterministic.
        """
        del deterministic
        return int(self(observation)), None


def plan_function(world: "JaxWorld", plan: Plan, policies: Any = None) -> PlanFunction:
    """Return a plan in an enumerated world as a function from states to actions.

    Args:
        policies: base policies of the plan, as `fo.plan` took them; None for one per action.

    Raises:
        InputError: if plan, policies and world do not belong together.
    """
    size = world.num_states
    if policies is None:
        policies = np.broadcast_to(np.arange(world.num_actions)[:, None], (world.num_actions, size))
    tables = np.asarray(policies)
    if plan.policy.shape != (size,) or tables.shape[1:2] != (size,):
        raise InputError(
            f"plan_function: plan and policies must be for the world's {size} states, got "
            f"{list(plan.policy.shape)} and {list(tables.shape)}"
        )
    if int(np.max(plan.policy)) >= len(tables):
        raise InputError(
            f"plan_function: policies must be those of the plan, which follows policy "
            f"{int(np.max(plan.policy))}, got {len(tables)}"
        )
    kind = jnp.int32 if tables.ndim == 2 else float
    return PlanFunction(world.number, jnp.asarray(plan.policy), jnp.asarray(tables, kind))
