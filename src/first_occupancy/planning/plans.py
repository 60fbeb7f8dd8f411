"""Plans: which policy to follow from each state, and until which subgoal.

Every planner returns the same record, whatever it assumes about the world: `frp.plan_to_goal`
for any FRs, `frp.plan_paths` for policies and worlds without chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_index, is_known, shown
from first_occupancy.core.names import Names, checked_names

NOTHING = -1
"""Policy and subgoal where there is nothing to follow."""


class Plan(eqx.Module):
    """How to reach one goal from every state: which policy to follow, and until where.

    At the goal, and where it cannot be reached, `policy` is -1. Where it cannot be
    reached `subgoal` is -1 too, and `log_discount` minus infinity.

    A plan that was `named` shows the names of states and policies in its legs, in errors and
    in pictures.
    """

    goal: Int[Array, "*G"]
    policy: Int[Array, "*G S"]
    subgoal: Int[Array, "*G S"]
    log_discount: Float[Array, "*G S"]
    state_names: Names | None = eqx.field(static=True, default=None)
    policy_names: Names | None = eqx.field(static=True, default=None)

    def named(
        self, *, states: Sequence[str] | None = None, policies: Sequence[str] | None = None
    ) -> "Plan":
        """Return the same plan with names for its states, and for the policies it follows.

        An MDP or a maze has `state_names`; if the base policies are `constant_policies`, its
        `action_names` are theirs.
        """
        state_names = checked_names("Plan.named", "states", states, self.policy.shape[-1])
        policy_names = checked_names("Plan.named", "policies", policies, None)
        if policy_names is not None and is_known(self.policy):
            _check_enough(policy_names, int(np.max(self.policy, initial=NOTHING)))
        return Plan(
            self.goal, self.policy, self.subgoal, self.log_discount, state_names, policy_names
        )

    @property
    def discount(self) -> Float[Array, "*G S"]:
        """The expected discount to the goal; far goals underflow here, not in the log."""
        return jnp.exp(self.log_discount)

    def to(self, goal: int) -> "Plan":
        """Return the plan to one goal, of the plans `plan_to_every_goal` returns.

        That takes some 60 microseconds: half to start the program that copies the rows, half to
        look up `plans.to`, since equinox makes a record of a method whenever it is named. To look
        up many goals, name it once, `to = plans.to`, or use `plans.on_host()`.
        """
        check_every_goal("Plan.to", self)
        return _look_up(self, _checked_goal("Plan.to", goal, self.policy.shape[-1]))

    def on_host(self) -> "PlansOnHost":
        """Return the plans to every goal in the host's memory, for look-ups in microseconds.

        On a CPU they are where they were, and nothing is copied.
        """
        check_every_goal("Plan.on_host", self)
        policy, subgoal = np.asarray(self.policy), np.asarray(self.subgoal)
        structure = jax.tree.structure(self)
        return PlansOnHost(policy, subgoal, np.asarray(self.log_discount), structure)

    @property
    def reachable(self) -> Bool[Array, "*G S"]:
        """Whether the goal can be reached at all."""
        return jnp.isfinite(self.log_discount)


@dataclass(frozen=True, eq=False)
class PlansOnHost:
    """Plans to every goal as NumPy's arrays, of which the plan to one goal is a view.

    JAX has no views: a row of its arrays is a program that copies. The price is that such a
    plan is for plain code and for arguments of compiled functions; a function that is
    compiled around it cannot look up a traced state in it.
    """

    policy: Int[np.ndarray, "G S"]
    subgoal: Int[np.ndarray, "G S"]
    log_discount: Float[np.ndarray, "G S"]
    _structure: jax.tree_util.PyTreeDef

    def to(self, goal: int) -> Plan:
        """Return the plan to one goal, whose arrays are NumPy's; nothing is copied."""
        goal = _checked_goal(f"{type(self).__name__}.to", goal, len(self.policy))
        rows = (self.policy[goal], self.subgoal[goal], self.log_discount[goal])
        return jax.tree.unflatten(self._structure, (np.int64(goal), *rows))


def _checked_goal(caller: str, goal: int, size: int) -> int:
    # The whole check takes longer than looking the plan up.
    if not (type(goal) is int and 0 <= goal < size):
        check_index(caller, "goal", goal, size)
    return goal


def check_every_goal(caller: str, plans: Plan) -> None:
    """Raise unless the plans are those to all states, as `plan_to_every_goal` returns them."""
    # One comparison: every look at a shape takes part of a microsecond.
    if plans.goal.shape != plans.policy.shape[-1:]:
        got = "the plan to one" if plans.goal.ndim == 0 else "plans to some"
        raise InputError(f"{caller}: needs plans to every goal, got {got}")


def check_switches(caller: str, max_switches: int | None) -> None:
    """Raise unless the limit on changes of policy is a whole number from 0 up, or None."""
    if max_switches is None:
        return
    try:
        number = index(max_switches)
    except TypeError:
        raise InputError(
            f"{caller}: max_switches must be a whole number or None, got {max_switches}"
        ) from None
    if number < 0:
        raise InputError(f"{caller}: max_switches must be at least 0 or None, got {max_switches}")


@jax.jit
def _look_up(plans: Plan, goal: Index) -> Plan:
    # Compiled, because four slices one by one take ten times as long.
    return jax.tree.map(lambda leaf: leaf[goal], plans)


def _check_enough(policy_names: Names, last: int) -> None:
    if last >= len(policy_names):
        raise InputError(
            f"Plan.named: policies must be at least {last + 1} names, since the plan follows "
            f"policy {last}, got {len(policy_names)}"
        )


class _Numbers(NamedTuple):
    policy: int
    subgoal: int


class Leg(_Numbers):
    """One part of an explicit plan: follow `policy` until `subgoal`.

    It is a tuple of the two numbers, whether there are names or not; `str` shows the names.

    >>> print(Leg(0, 2), "/", Leg(0, 2, "up", "attic"))
    policy 0 until state 2 / up until attic
    """

    policy_name: str | None
    subgoal_name: str | None

    def __new__(
        cls,
        policy: int,
        subgoal: int,
        policy_name: str | None = None,
        subgoal_name: str | None = None,
    ) -> "Leg":
        """Make the tuple, and keep the names beside it."""
        leg = super().__new__(cls, policy, subgoal)
        leg.policy_name, leg.subgoal_name = policy_name, subgoal_name
        return leg

    def __str__(self) -> str:
        """Return the leg in words."""
        policy = self.policy_name or f"policy {self.policy}"
        return f"{policy} until {self.subgoal_name or f'state {self.subgoal}'}"

    def __repr__(self) -> str:
        """Return the numbers, with the names where there are some."""
        policy = f"{self.policy} {self.policy_name!r}" if self.policy_name else self.policy
        subgoal = f"{self.subgoal} {self.subgoal_name!r}" if self.subgoal_name else self.subgoal
        return f"Leg(policy={policy}, subgoal={subgoal})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return what copies and pickles are made of."""
        return (*self, self.policy_name, self.subgoal_name)


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
    names = plan.state_names
    goal, policy, subgoal = int(plan.goal), np.asarray(plan.policy), np.asarray(plan.subgoal)
    if subgoal[start] == NOTHING:
        raise InputError(
            f"unroll: goal {shown(goal, names)} must be reachable from start "
            f"{shown(start, names)}, but no sequence of the base policies leads there"
        )
    legs, state = [], start
    while state != goal:
        # Planners never make such plans, but files and hands can.
        if len(legs) == len(policy) or not 0 <= subgoal[state] < len(policy):
            raise InputError(
                f"unroll: plan must lead to goal {shown(goal, names)}, "
                f"but from {shown(start, names)} it does not"
            )
        legs.append(_leg(plan, int(policy[state]), int(subgoal[state])))
        state = legs[-1].subgoal
    return legs


def _leg(plan: Plan, policy: int, subgoal: int) -> Leg:
    names = plan.policy_names
    # Files that are not read as a whole, and hands, may follow what there is no name for.
    policy_name = names[policy] if names and 0 <= policy < len(names) else None
    subgoal_name = plan.state_names[subgoal] if plan.state_names else None
    return Leg(policy, subgoal, policy_name, subgoal_name)


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
