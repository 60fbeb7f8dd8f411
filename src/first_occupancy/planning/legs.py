"""Legs: a plan from one state, written out as policies to follow until subgoals (Alg. 2)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Int

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.axes import Index
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import (
    InputError,
    as_given,
    check_index,
    check_indices,
    check_shape,
    is_known,
    shown,
)
from first_occupancy.planning._on_demand import on_host
from first_occupancy.planning.limits import NOTHING

if TYPE_CHECKING:
    from first_occupancy.planning.deadlines import DeadlinePlan
    from first_occupancy.planning.plans import Plan


class _Numbers(NamedTuple):
    policy: int
    subgoal: int


class Leg(Displayed, _Numbers):
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
        policy: Index,
        subgoal: Index,
        policy_name: str | None = None,
        subgoal_name: str | None = None,
    ) -> "Leg":
        """Make the tuple; the names are attributes, not elements."""
        # Plain numbers, since NumPy's would be shown as `np.int64(9)`.
        leg = super().__new__(cls, _plain(policy), _plain(subgoal))
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

    def _summary(self) -> str:
        return repr(self)

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the arguments from which copies and pickles are made."""
        return (*self, self.policy_name, self.subgoal_name)


def _plain(number: Any) -> Any:
    """Return a concrete number as Python's own int; anything else as it is."""
    whole = isinstance(number, np.integer | np.ndarray | jax.Array) and is_known(number)
    return int(number) if whole else number


def legs_of(plan: "Plan", start: int | None) -> list[Leg]:
    """Return the legs of the plan from `start` to the goal, for `Plan.legs`."""
    check_one("legs", plan)
    if start is None:
        raise InputError("legs: start must be a state, got None; does the drawing have an 'S'?")
    check_index("legs", "start", start, plan.policy.shape[-1])
    names = plan.state_names
    goal, policy, subgoal = int(plan.goal), on_host(plan.policy), on_host(plan.subgoal)
    goals = {goal} if plan.goals is None else set(np.asarray(plan.goals).tolist())
    if subgoal[start] == NOTHING:
        raise InputError(_no_legs(plan, start))
    legs, state = [], start
    while state not in goals:
        # Planners never make such plans, but files and hand-made plans may hold them.
        if len(legs) == len(policy) or not 0 <= subgoal[state] < len(policy):
            raise InputError(
                f"legs: plan must lead to goal {shown(goal, names)}, "
                f"but from {shown(start, names)} it does not"
            )
        legs.append(named_leg(plan, int(policy[state]), int(subgoal[state])))
        state = legs[-1].subgoal
    return legs


def check_goal(caller: str, goal: Index, size: int, *, several: str) -> None:
    """Raise unless the goal is one of `size` states.

    If several goals are passed, the message names the function that takes them, `several`.
    """
    if is_known(goal) and np.ndim(goal):
        raise InputError(
            f"{caller}: goal must be one whole number ({several} takes several; a maze's "
            f"state(row, column) is the number of a cell), got {as_given(goal)}"
        )
    check_index(caller, "goal", goal, size)


def check_one(caller: str, plan: "Plan") -> None:
    """Raise unless this is the plan to one goal."""
    if plan.goal.ndim:
        raise InputError(
            f"{caller}: plan must be the plan to one goal, got many; take plans.to(goal)"
        )


def _no_legs(plan: "Plan", start: int) -> str:
    """Return the sentence that says why there are no legs from a state."""
    goal, place = shown(int(plan.goal), plan.state_names), shown(start, plan.state_names)
    if plan.achieved is not None and plan.achieved[start] > 0:
        return (
            f"legs: plan must have legs from start {place}, but its most likely moves lead round "
            "in a circle; look plan.policy up in every state instead"
        )
    return (
        f"legs: goal {goal} must be reachable from start {place}, but no sequence of the base "
        "policies leads there, or none with as few switches as the plan was made with"
    )


def named_leg(plan: "Plan | DeadlinePlan", policy: int, subgoal: int) -> Leg:
    """Return a leg of a plan, with the plan's names."""
    names = plan.policy_names
    # A memory-mapped or hand-made plan may follow a policy that has no name.
    policy_name = names[policy] if names and 0 <= policy < len(names) else None
    subgoal_name = plan.state_names[subgoal] if plan.state_names else None
    return Leg(policy, subgoal, policy_name, subgoal_name)


@check_arguments
def follow(legs: Sequence[Leg], start: int, next_states: Int[np.ndarray, "N S"]) -> list[list[int]]:
    """Return the states that each leg passes, its start and its subgoal included.

    In a stochastic world, a leg may have a subgoal that only noise can reach. Its path ends by a
    jump there.

    Args:
        legs: legs of a plan from `start`, as from `plan.legs`.
        start: state from which the first leg starts.
        next_states: `next_states[n, s]` is the state to which policy n leads from s without noise.
    """
    paths, here, next_states = [], start, np.asarray(next_states)
    check_shape("follow", "next_states", next_states, "N S")
    check_index("follow", "start", start, next_states.shape[1])
    policies = np.array([leg.policy for leg in legs])
    check_indices("follow", "the legs' policies", policies, len(next_states))
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
