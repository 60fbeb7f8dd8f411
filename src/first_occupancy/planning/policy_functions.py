"""Plans as pure functions from states to actions, for `jit`, `vmap` and `scan`.

act = plan.policy_function()
action = jax.jit(act)(state)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from first_occupancy.core.errors import InputError
from first_occupancy.planning.agents import check_followed, interface_of
from first_occupancy.planning.limits import NOTHING

if TYPE_CHECKING:
    from first_occupancy.planning.plans import Plan


@dataclass(frozen=True, eq=False)
class PolicyFunction:
    """A plan as a pure function of the state.

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

    def __repr__(self) -> str:
        """Return the numbers of states and base policies."""
        states, policies = len(self.policy), len(self.tables)
        return f"PolicyFunction({states} states, {policies} base policies)"

    def __call__(self, state: Any, key: Any = None) -> Int[Array, ""]:
        """Return the action in a state; where policies are stochastic, a key must be given."""
        here = self.number(state)
        policy = jnp.where(here < 0, NOTHING, self.policy[here])
        row = self.tables[policy, here]
        if self.tables.ndim == 2:
            return jnp.where(policy == NOTHING, 0, row).astype(jnp.int32)
        if key is None:
            raise InputError("policy_function: key must be given where policies are stochastic")
        drawn = jax.random.categorical(key, jnp.log(row))
        return jnp.where(policy == NOTHING, 0, drawn).astype(jnp.int32)

    def knows(self, state: Any) -> Array:
        """Return whether the plan says what to do in a state."""
        here = jnp.asarray(self.number(state))
        return (here >= 0) & (self.policy[here] != NOTHING)


def function_of(plan: "Plan", observe: Any, policies: Any) -> PolicyFunction:
    """Return a plan as a function from states to actions."""
    interface = interface_of("policy_function", plan, None, observe, policies)
    if interface.tables is None or plan.policy.ndim != 1:
        raise InputError(
            "policy_function: needs a plan to one goal and base policies that are tables"
        )
    check_followed("policy_function", np.asarray(plan.policy), len(interface.tables))
    kind = jnp.int32 if interface.tables.ndim == 2 else float
    return PolicyFunction(
        interface.observe, jnp.asarray(plan.policy), jnp.asarray(interface.tables, kind)
    )
