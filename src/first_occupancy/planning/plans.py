"""Plans: which policy to follow from each state, and until which subgoal.

Every planner returns the same record, whatever it assumes about the world: `frp.plan_to_goal`
for any FRs, `frp.plan_paths` for policies and worlds without chance.
"""

from collections.abc import Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_index

NOTHING = -1
"""Policy and subgoal where there is nothing to follow."""


class Plan(eqx.Module):
    """How to reach one goal from every state: which policy to follow, and until where.

    At the goal, and where it cannot be reached, `policy` is -1. Where it cannot be
    reached `subgoal` is -1 too, and `log_discount` minus infinity.
    """

    goal: Int[Array, "*G"]
    policy: Int[Array, "*G S"]
    subgoal: Int[Array, "*G S"]
    log_discount: Float[Array, "*G S"]

    @property
    def discount(self) -> Float[Array, "*G S"]:
        """The expected discount to the goal; far goals underflow here, not in the log."""
        return jnp.exp(self.log_discount)

    def to(self, goal: int) -> "Plan":
        """Return the plan to one goal, of the plans `plan_to_every_goal` returns."""
        check_every_goal("Plan.to", self)
        size = self.goal.shape[0]
        # The whole check takes a quarter of the time of looking the plan up.
        if not (type(goal) is int and 0 <= goal < size):
            check_index("Plan.to", "goal", goal, size)
        return _look_up(self, goal)

    @property
    def reachable(self) -> Bool[Array, "*G S"]:
        """Whether the goal can be reached at all."""
        return jnp.isfinite(self.log_discount)


def check_every_goal(caller: str, plans: Plan) -> None:
    """Raise unless the plans are those to all states, as `plan_to_every_goal` returns them."""
    if plans.goal.ndim != 1 or plans.goal.shape[0] != plans.policy.shape[-1]:
        got = "the plan to one" if plans.goal.ndim == 0 else "plans to some"
        raise InputError(f"{caller}: needs plans to every goal, got {got}")


@jax.jit
def _look_up(plans: Plan, goal: Index) -> Plan:
    # Compiled, because four slices one by one take ten times as long.
    return jax.tree.map(lambda leaf: leaf[goal], plans)


class Leg(NamedTuple):
    """One part of an explicit plan: follow `policy` until `subgoal`."""

    policy: int
    subgoal: int


def unroll(plan: Plan, start: int) -> list[Leg]:
    """Return the legs of the plan from `start` to the goal (Alg. 2).

    >>> from first_occupancy.planning.frp import plan_to_goal
    >>> corridor = jnp.array([[[1, .5, .25], [0, 1, .5], [0, 0, 1]]])
    >>> unroll(plan_to_goal(corridor, 2), start=0)
    [Leg(policy=0, subgoal=2)]
    """
    if plan.goal.ndim != 0:
        raise InputError("unroll: plan must be the plan to one goal, got many; take plan.to(goal)")
    check_index("unroll", "start", start, plan.policy.shape[-1])
    goal, policy, subgoal = int(plan.goal), np.asarray(plan.policy), np.asarray(plan.subgoal)
    if subgoal[start] == NOTHING:
        raise InputError(
            f"unroll: goal {goal} must be reachable from start {start}, "
            "but no sequence of the base policies leads there"
        )
    legs, state = [], start
    while state != goal:
        # Planners never make such plans, but files and hands can.
        if len(legs) == len(policy) or not 0 <= subgoal[state] < len(policy):
            raise InputError(f"unroll: plan must lead to goal {goal}, but from {start} it does not")
        legs.append(Leg(int(policy[state]), int(subgoal[state])))
        state = legs[-1].subgoal
    return legs


def follow(legs: Sequence[Leg], start: int, next_states: Int[np.ndarray, "N S"]) -> list[list[int]]:
    """Return the states each leg passes, its start and its subgoal included.

    `next_states[n, s]` is where policy n leads from s when nothing goes wrong. A subgoal
    that only chance can reach (FRs of a noisy world) ends its path by a jump.
    """
    paths, here = [], start
    for leg in legs:
        path, passed = [here], {here}
        while path[-1] != leg.subgoal:
            ahead = int(next_states[leg.policy, path[-1]])
            # Coming back to where the leg has been, it would go round for ever.
            path.append(leg.subgoal if ahead in passed else ahead)
            passed.add(ahead)
        paths.append(path)
        here = leg.subgoal
    return paths
