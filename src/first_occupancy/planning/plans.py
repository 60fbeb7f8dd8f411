"""Plans: which policy to follow from each state, and until which subgoal.

Every planner returns the same record: `frp.plan_to_goal` for any FRs, `paths.plan_paths` for
deterministic policies and worlds. Plans to many goals are one record with a leading axis;
`plans.to(goal)` is the plan to one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
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
"""Policy and subgoal where there is no policy to follow."""


class Plan(eqx.Module):
    """How to reach one goal from every state: which policy to follow, and until where.

    If the plan has names of states and policies, they are shown in legs, errors and figures.

    Attributes:
        goal: state to reach.
        policy: base policy to follow from each state; -1 at the goal and where it is unreachable.
        subgoal: state at which to switch to the next policy; -1 where the goal is unreachable.
        log_discount: log of the expected discount that FRP promises; minus infinity where the goal
            is unreachable. In stochastic worlds it is a lower bound, since re-choosing on the way
            never loses.
        state_names: names of the states.
        policy_names: names of the base policies.
        followed: expected discount of following the plan, re-choosing in every state. Plans made
            from a known world have it (`fo.plan`); plans made from FRs alone do not.
        engine: planner that made it, "paths" or "dense".
    """

    goal: Int[Array, "*G"]
    policy: Int[Array, "*G S"]
    subgoal: Int[Array, "*G S"]
    log_discount: Float[Array, "*G S"]
    state_names: Names | None = eqx.field(static=True, default=None)
    policy_names: Names | None = eqx.field(static=True, default=None)
    followed: Float[Array, "*G S"] | None = None
    engine: str | None = eqx.field(static=True, default=None)

    def named(
        self, *, states: Sequence[str] | None = None, policies: Sequence[str] | None = None
    ) -> "Plan":
        """Return the same plan with names for its states and policies.

        Args:
            states: one name per state, such as the `state_names` of an MDP or a maze; None keeps
                the present names.
            policies: one name per base policy; None keeps the present names. The names of
                `constant_policies` are the `action_names` of the world.
        """
        states = self.state_names if states is None else states
        policies = self.policy_names if policies is None else policies
        state_names = checked_names("Plan.named", "states", states, self.policy.shape[-1])
        policy_names = checked_names("Plan.named", "policies", policies, None)
        if policy_names is not None and is_known(self.policy):
            _check_enough(policy_names, int(np.max(self.policy, initial=NOTHING)))
        return replace(self, state_names=state_names, policy_names=policy_names)

    @property
    def discount(self) -> Float[Array, "*G S"]:
        """The expected discount to the goal; for far goals it underflows, unlike its log."""
        return jnp.exp(self.log_discount)

    def to(self, goal: Index) -> "Plan":
        """Return the plan to one goal, from plans to many.

        If the goal is traced, no error can be raised: for a goal without a plan, the result then
        has no policy to follow from any state.

        A call takes some 60 microseconds: half to start the program that copies the rows, half to
        look up `plans.to`, since equinox makes a new object at each access to a method. To look up
        many goals, bind it once, `to = plans.to`, or use `plans.on_host()`.
        """
        _check_many("Plan.to", self)
        size = self.policy.shape[-1]
        if isinstance(goal, jax.core.Tracer) or isinstance(self.goal, jax.core.Tracer):
            check_index("Plan.to", "goal", goal, size)
            return _search(self, jnp.asarray(goal, self.goal.dtype))
        return _look_up(self, _row("Plan.to", np.asarray(self.goal), goal, size))

    def on_host(self) -> "PlansOnHost":
        """Return the plans to many goals in the host's memory, for look-ups in microseconds.

        On a CPU nothing is copied.
        """
        _check_many("Plan.on_host", self)
        plans = replace(self, followed=None)
        goal, policy, subgoal, log_discount = map(np.asarray, jax.tree.leaves(plans))
        return PlansOnHost(goal, policy, subgoal, log_discount, jax.tree.structure(plans))

    @property
    def reachable(self) -> Bool[Array, "*G S"]:
        """Whether the goal can be reached at all."""
        return jnp.isfinite(self.log_discount)


@dataclass(frozen=True, eq=False)
class PlansOnHost:
    """Plans to many goals as NumPy arrays, of which the plan to one is a view.

    JAX has no views: taking a row of its arrays runs a program that copies. A plan of views can be
    used in ordinary code and passed to compiled functions; a compiled function that closes over it
    cannot index it with a traced state.

    Attributes:
        goal: states to reach.
        policy: base policy to follow to each goal from each state, as in `Plan`.
        subgoal: state at which to switch to the next policy, as in `Plan`.
        log_discount: log of the expected discount that FRP promises, as in `Plan`.
    """

    goal: Int[np.ndarray, " G"]
    policy: Int[np.ndarray, "G S"]
    subgoal: Int[np.ndarray, "G S"]
    log_discount: Float[np.ndarray, "G S"]
    _structure: jax.tree_util.PyTreeDef

    def to(self, goal: int) -> Plan:
        """Return the plan to one goal, as views of the NumPy arrays."""
        row = _row(f"{type(self).__name__}.to", self.goal, goal, self.policy.shape[1])
        rows = (self.policy[row], self.subgoal[row], self.log_discount[row])
        return jax.tree.unflatten(self._structure, (np.int64(goal), *rows))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle a plan, not its tree structure, which equinox compares by identity."""
        arrays = (self.goal, self.policy, self.subgoal, self.log_discount)
        return _on_host, (type(self), self.to(int(self.goal[0])), *arrays)


def _on_host(kind: type[PlansOnHost], one: Plan, *arrays: np.ndarray) -> PlansOnHost:
    goal, policy, subgoal, log_discount = arrays
    return kind(goal, policy, subgoal, log_discount, jax.tree.structure(one))


def _row(caller: str, goals: Int[np.ndarray, " G"], goal: Index, size: int) -> int:
    """Return the row of the plan to a goal."""
    # A shortcut, since `check_index` takes longer than looking the plan up.
    if type(goal) is int and 0 <= goal < size:
        state = goal
    else:
        check_index(caller, "goal", goal, size)
        state = int(np.asarray(goal))
    # Plans to every goal are in the order of states, so that no search is needed.
    if state < len(goals) and goals[state] == state:
        return state
    there = np.flatnonzero(goals == state)
    if not len(there):
        first = ", ".join(map(str, goals[:_SHOWN]))
        more = f" and {len(goals) - _SHOWN} more" if len(goals) > _SHOWN else ""
        raise InputError(
            f"{caller}: goal must be one of the goals of these plans, {first}{more}, got {goal}"
        )
    return int(there[0])


_SHOWN = 5
"""How many available goals an error message lists."""


def _check_many(caller: str, plans: Plan) -> None:
    if plans.goal.ndim != 1:
        got = f"goals of shape {plans.goal.shape}" if plans.goal.ndim else "the plan to one"
        raise InputError(f"{caller}: needs plans to many goals, got {got}")


def check_switches(caller: str, max_switches: int | None) -> None:
    """Raise unless the bound on policy switches is a whole number, at least 0, or None.

    Args:
        caller: name of the function that error messages begin with.
        max_switches: upper bound on policy switches.

    Raises:
        InputError: if `max_switches` is no whole number or negative.
    """
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
def _look_up(plans: Plan, row: Index) -> Plan:
    # Compiled, because four slices one by one take ten times as long.
    return jax.tree.map(lambda leaf: leaf[row], plans)


@jax.jit
def _search(plans: Plan, goal: Index) -> Plan:
    there = plans.goal == goal
    plan = _look_up(plans, there.argmax())
    # For a goal without a plan there is no policy to follow.
    nothing = jax.tree.unflatten(jax.tree.structure(plan), (goal, NOTHING, NOTHING, -jnp.inf))
    return jax.tree.map(partial(jnp.where, there.any()), plan, nothing)


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

    It is a tuple of the two numbers, with or without names; `str` shows the names.

    >>> print(Leg(0, 2), "/", Leg(0, 2, "up", "attic"))
    policy 0 until state 2 / up until attic

    Args:
        policy: number of the base policy to follow.
        subgoal: state at which the leg ends.
        policy_name: name of the policy; None shows its number.
        subgoal_name: name of the subgoal; None shows its number.
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
        """Make the tuple; the names are attributes, not elements."""
        leg = super().__new__(cls, policy, subgoal)
        leg.policy_name, leg.subgoal_name = policy_name, subgoal_name
        return leg

    def __str__(self) -> str:
        """Return the leg in words."""
        policy = self.policy_name or f"policy {self.policy}"
        return f"{policy} until {self.subgoal_name or f'state {self.subgoal}'}"

    def __repr__(self) -> str:
        """Return the numbers, and the names if there are any."""
        policy = f"{self.policy} {self.policy_name!r}" if self.policy_name else self.policy
        subgoal = f"{self.subgoal} {self.subgoal_name!r}" if self.subgoal_name else self.subgoal
        return f"Leg(policy={policy}, subgoal={subgoal})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the arguments from which copies and pickles are made."""
        return (*self, self.policy_name, self.subgoal_name)


def unroll(plan: Plan, start: int | None) -> list[Leg]:
    """Return the legs of the plan from `start` to the goal (Alg. 2).

    >>> from first_occupancy.planning.frp import plan_to_goal
    >>> corridor = jnp.array([[[1, .5, .25], [0, 1, .5], [0, 0, 1]]])
    >>> unroll(plan_to_goal(corridor, 2), start=0)
    [Leg(policy=0, subgoal=2)]

    Args:
        plan: plan to one goal.
        start: state from which to start; None, as `Maze.start` may be, is refused.

    Raises:
        InputError: if there are plans to many goals, `start` is None, the goal cannot be reached
            from it, or a hand-made plan does not lead to it.
    """
    if plan.goal.ndim != 0:
        raise InputError("unroll: plan must be the plan to one goal, got many; take plan.to(goal)")
    if start is None:
        raise InputError("unroll: start must be a state, got None; does the drawing have an 'S'?")
    check_index("unroll", "start", start, plan.policy.shape[-1])
    names = plan.state_names
    goal, policy, subgoal = int(plan.goal), np.asarray(plan.policy), np.asarray(plan.subgoal)
    if subgoal[start] == NOTHING:
        raise InputError(
            f"unroll: goal {shown(goal, names)} must be reachable from start "
            f"{shown(start, names)}, but no sequence of the base policies leads there, "
            "or none with as few switches as the plan was made with"
        )
    legs, state = [], start
    while state != goal:
        # Planners never make such plans, but files and hand-made plans may hold them.
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
    # A memory-mapped or hand-made plan may follow a policy that has no name.
    policy_name = names[policy] if names and 0 <= policy < len(names) else None
    subgoal_name = plan.state_names[subgoal] if plan.state_names else None
    return Leg(policy, subgoal, policy_name, subgoal_name)


def follow(legs: Sequence[Leg], start: int, next_states: Int[np.ndarray, "N S"]) -> list[list[int]]:
    """Return the states that each leg passes, its start and its subgoal included.

    In a stochastic world, a leg may have a subgoal that only noise can reach. Its path ends by a
    jump there.

    Args:
        legs: legs of a plan from `start`, as from `unroll`.
        start: state from which the first leg starts.
        next_states: `next_states[n, s]` is the state to which policy n leads from s without noise.
    """
    paths, here = [], start
    for leg in legs:
        path, passed = [here], {here}
        while path[-1] != leg.subgoal:
            ahead = int(next_states[leg.policy, path[-1]])
            # At a state that the leg has passed before, it would cycle for ever.
            path.append(leg.subgoal if ahead in passed else ahead)
            passed.add(ahead)
        paths.append(path)
        here = leg.subgoal
    return paths
