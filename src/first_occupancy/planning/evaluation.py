"""The exact expected discount of following a plan, and that of the optimal policy."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, check_shape, check_share, is_known
from first_occupancy.core.mdp import MDP, HasMDP, as_mdp, floats
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning._drafts import Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._paths.engine import (
    PathEngine,
    certain_steps,
    followed,
    log_discounts,
)
from first_occupancy.planning._sparse.engine import SparseEngine
from first_occupancy.planning.agents import check_followed
from first_occupancy.planning.limits import SOLVED_UP_TO
from first_occupancy.planning.plans import Plan
from first_occupancy.representations._solvers.arrivals import columns


class Evaluation(Displayed, eqx.Module):
    """Exact expected discounts from each state.

    Attributes:
        expected_discount: what following the plan achieves: the discount at the first visit to the
            goal if the plan is looked up again in every state.
        optimal: largest discount of any policy that chooses among all actions of the world.
        later: computes `leg_by_leg` when it is first asked for.
    """

    expected_discount: Float[Array, "*G S"]
    optimal: Float[Array, "*G S"]
    later: Callable[[], Array] = eqx.field(static=True)

    @property
    def leg_by_leg(self) -> Float[Array, "*G S"]:
        """The discount at the end of the last leg if each policy is followed until its subgoal.

        An option that passes through the goal early does not stop there. In large stochastic worlds
        this takes much longer than the plan, and is computed when it is first asked for.
        """
        return self.later()

    @property
    def loss(self) -> Float[Array, "*G S"]:
        """The distance to the optimum: `optimal` minus `expected_discount`."""
        return self.optimal - self.expected_discount

    def _summary(self) -> str | None:
        if self.optimal.ndim != 1:
            return None
        followed, optimal = map(np.asarray, (self.expected_discount, self.optimal))
        waits = len(optimal) > SOLVED_UP_TO
        legs = "" if waits else f"leg by leg {np.asarray(self.leg_by_leg).mean():.4g}, "
        gap, worst = optimal - followed, int(np.argmax(optimal - followed))
        return (
            f"Evaluation: expected discount, mean over {count(len(optimal), 'state')}\n"
            f"  re-choosing {followed.mean():.4g}, {legs}optimal {optimal.mean():.4g}\n"
            f"  largest gap to the optimum {gap[worst]:.3g}, from state {worst}"
        )


@check_arguments
def evaluate(
    plan: Plan,
    world: MDP | HasMDP | KnownByActions,
    policies: Float[Array, "N S A"] | Int[Array, "N S"] | None = None,
    *,
    discount: Scalar,
) -> Evaluation:
    """Return the exact expected discounts of following the plan in this world.

    The plan may come from learned FRs; it is evaluated under the true dynamics. Numbers are
    computed on the host in double precision, so that this is no function for `jit`.

    Args:
        plan: plan to one goal, or to a set of goals.
        world: an MDP (dense or sparse), a maze or a graph.
        policies: policies that the plan chains: action probabilities, or the action that each
            policy takes in each state; None for one policy per action.
        discount: discount factor per step, or per unit of time where moves have durations; from 0
            to 1.

    Raises:
        InputError: if the plan is not one plan over the states of the world, or follows a policy
            that is not in `policies`.
    """
    check_share("evaluate", "discount", discount)
    known: Any = world if isinstance(world, KnownByActions) else as_mdp("evaluate", world)
    known = SparseMDP(known) if isinstance(known, MDP) else known
    goals = np.atleast_1d(np.asarray(plan.goal if plan.goals is None else plan.goals))
    policy, subgoal = np.asarray(plan.policy), np.asarray(plan.subgoal)
    check_shape("evaluate", "plan.policy", policy, "S", like="world", S=known.num_states)
    check_followed("evaluate", policy, known.num_actions if policies is None else len(policies))
    dynamics = Dynamics(known, policies, float(np.asarray(discount)), np.zeros(0, int))
    reals = plan.log_promised.dtype
    rechoosing = _rechosen(dynamics, policy, goals)
    # The optimum is at least the plan's discount; only rounding can make it smaller.
    optimal = np.maximum(_best(dynamics, goals), rechoosing)
    legs = cache(lambda: jnp.asarray(_leg_by_leg(dynamics, policy, subgoal), reals))
    # Not `jnp.asarray`, which compiles a program for each new number of states.
    arrays = jax.device_put((np.asarray(rechoosing, reals), np.asarray(optimal, reals)))
    return Evaluation(arrays[0], arrays[1], legs)


def _rechosen(
    dynamics: Dynamics, policy: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
) -> Float[np.ndarray, " S"]:
    """Return the expected discount of looking a plan up in every state."""
    steps = certain_steps(dynamics)
    if steps is None:
        return dynamics.followed(policy, goals)[0]
    return np.exp(log_discounts(followed(dynamics, steps, policy, goals), dynamics.discount))


def _best(dynamics: Dynamics, goals: Int[np.ndarray, " G"]) -> Float[np.ndarray, " S"]:
    """Return the largest expected discount to the goals that any policy has."""
    actions = dynamics if dynamics.policies is None else replace(dynamics, policies=None)
    if (steps := certain_steps(actions)) is not None:
        return PathEngine(actions, steps).best(goals)
    achieved = SparseEngine(actions).plan(Request(goals)).achieved
    assert achieved is not None
    return achieved


def _leg_by_leg(
    dynamics: Dynamics, policy: Int[np.ndarray, " S"], subgoal: Int[np.ndarray, " S"]
) -> Float[np.ndarray, " S"]:
    """Return the product of the FRs of the legs; one column for each leg that occurs."""
    legs = ((policy < 0) & (subgoal >= 0)).astype(float)
    for number, chain in enumerate(dynamics.jumps):
        following = np.flatnonzero((policy == number) & (subgoal >= 0))
        ends = np.unique(subgoal[following])
        if not len(ends):
            continue
        for end, column in zip(ends, columns(chain, ends), strict=True):
            here = following[subgoal[following] == end]
            legs[here] = column[here]
    onward = np.where(policy >= 0, np.maximum(subgoal, 0), np.arange(len(policy)))
    # Each round joins every leg to the plan behind its subgoal, which doubles the legs covered.
    for _ in range(len(policy).bit_length()):
        legs, onward = legs * legs[onward], onward[onward]
    return legs


def rechoosing_policy(plan: Plan, policies: Float[Array, "N S A"]) -> Float[Array, "S A"]:
    """Return the action probabilities of looking the plan up in every state.

    Where the plan follows no policy, at the goal and where it is unreachable, all actions are
    equally likely.
    """
    check_plan_follows("rechoosing_policy", plan, policies)
    num_actions = policies.shape[2]
    states = jnp.arange(len(plan.policy))
    lost = jnp.full((len(states), num_actions), 1 / num_actions)
    chosen = policies[plan.policy, states]
    return jnp.where((plan.policy >= 0)[:, None], chosen, lost)


def check_plan_follows(caller: str, plan: Plan, policies: Float[Array, "N S A"]) -> None:
    """Raise unless `policies` fit the plan; JAX clamps indices and would use other policies."""
    check_shape(caller, "policies", policies, "N S A")
    if plan.policy.shape != policies.shape[1:2]:
        raise InputError(
            f"{caller}: plan must be one plan for the {policies.shape[1]} states of "
            f"policies, got policies of shape {plan.policy.shape}"
        )
    if is_known(plan.policy):
        check_followed(caller, np.asarray(plan.policy), len(policies))


@jax.jit
def discount_of_legs(plan: Plan, frs: Float[Array, "N S S"]) -> Float[Array, " S"]:
    """Return the product of the FRs of a plan's legs, from each state to the goal.

    Args:
        frs: FRs of the base policies; they need not be those that the plan was made from. Half
            precision is multiplied in single.
    """
    frs = floats(frs)
    states = jnp.arange(len(plan.policy))
    followed = plan.policy >= 0
    leg = jnp.where(followed, frs[plan.policy, states, plan.subgoal], plan.reachable)
    onward = jnp.where(followed, plan.subgoal, states)

    # Each round appends the legs from the subgoal on, which doubles the number of legs covered; a
    # plan has fewer legs than states.
    def join(_: Index, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        discount_so_far, onward = carry
        return discount_so_far * discount_so_far[onward], onward[onward]

    rounds = len(states).bit_length()
    return jax.lax.fori_loop(0, rounds, join, (leg, onward))[0]
