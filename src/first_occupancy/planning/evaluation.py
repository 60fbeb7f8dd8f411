"""The exact expected discount of following a plan, and that of the optimal policy."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, check_shape, check_share, is_known
from first_occupancy.core.mdp import (
    MDP,
    HasMDP,
    absorbing,
    as_mdp,
    as_policies,
    chain,
    constant_policies,
    floats,
)
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning._sparse.evaluation import SparseEvaluation
from first_occupancy.planning.agents import check_followed
from first_occupancy.planning.dynamic_programming import value_iteration
from first_occupancy.planning.limits import SOLVED_UP_TO
from first_occupancy.planning.plans import Plan
from first_occupancy.representations import first_occupancy

ROUNDINGS = 4
"""Gains below this many rounding errors of their terms do not count as policy improvements."""


class Evaluation(Displayed, eqx.Module):
    """Exact expected discounts from each state.

    Attributes:
        expected_discount: what following the plan achieves: the discount at the first visit to the
            goal if the plan is looked up again in every state.
        legs: `leg_by_leg`, if it has been computed.
        optimal: largest discount of any policy that chooses among all actions of the world.
        later: computes `leg_by_leg` when it is first asked for.
    """

    expected_discount: Float[Array, "*G S"]
    legs: Float[Array, "*G S"] | None
    optimal: Float[Array, "*G S"]
    later: Callable[[], Array] | None = eqx.field(static=True, default=None)

    @property
    def leg_by_leg(self) -> Float[Array, "*G S"]:
        """The discount at the end of the last leg if each policy is followed until its subgoal.

        An option that passes through the goal early does not stop there. In large stochastic worlds
        this takes much longer than the plan, and is computed when it is first asked for.
        """
        legs = self.legs if self.later is None else self.later()
        assert legs is not None
        return legs

    @property
    def loss(self) -> Float[Array, "*G S"]:
        """The distance to the optimum: `optimal` minus `expected_discount`."""
        return self.optimal - self.expected_discount

    def _summary(self) -> str | None:
        if self.optimal.ndim != 1:
            return None
        followed, optimal = map(np.asarray, (self.expected_discount, self.optimal))
        waits = self.legs is None and len(optimal) > SOLVED_UP_TO
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

    The plan may come from learned FRs; it is evaluated under the true dynamics. Sparse worlds,
    graphs and mazes are evaluated on the host, without any S x S array; inside `jit` use the maze's
    `mdp`.

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
    if _is_for_sparse(plan, world, policies, discount):
        return _evaluate_sparse(plan, world, policies, float(np.asarray(discount)))
    mdp = as_mdp("evaluate", world)
    policies = constant_policies(mdp) if policies is None else policies
    if plan.policy.shape != (mdp.num_states,):
        raise InputError(
            f"evaluate: plan must be one plan for the world's {mdp.num_states} states, "
            f"got policies of shape {plan.policy.shape}"
        )
    policies = as_policies("evaluate", mdp, policies)
    check_plan_follows("evaluate", plan, policies)
    rechoosing = _rechoosing(plan, mdp, policies, discount)
    optimal = optimal_discount(mdp, plan.goal, discount=discount)
    return Evaluation(
        expected_discount=rechoosing,
        legs=_leg_by_leg(plan, mdp, policies, discount),
        # The optimum is at least the plan's discount; only rounding can make it smaller.
        optimal=jnp.maximum(optimal, rechoosing),
    )


def _is_for_sparse(plan: Plan, world: object, policies: object, discount: Scalar) -> bool:
    """Return whether to evaluate on the host; worlds that live there need no compiled program."""
    if isinstance(world, MDP) or not isinstance(world, KnownByActions):
        return isinstance(world, MDP) and (plan.goals is not None or _is_one(discount))
    # Asked of the class, since a maze builds its MDP when it is first asked for it.
    return not hasattr(type(world), "mdp") or is_known(plan, policies, discount)


def _is_one(discount: Scalar) -> bool:
    return is_known(discount) and float(np.asarray(discount)) == 1


def _evaluate_sparse(plan: Plan, world: Any, policies: object, discount: float) -> Evaluation:
    check_share("evaluate", "discount", discount)
    known = SparseMDP(world) if isinstance(world, MDP) else world
    if plan.policy.shape != (known.num_states,):
        raise InputError(
            f"evaluate: plan must be one plan for the world's {known.num_states} states, "
            f"got policies of shape {plan.policy.shape}"
        )
    goals = np.atleast_1d(np.asarray(plan.goal if plan.goals is None else plan.goals))
    policy, subgoal = np.asarray(plan.policy), np.asarray(plan.subgoal)
    found = SparseEvaluation(known, policies, policy, subgoal, discount=discount)
    reals = plan.log_promised.dtype
    rechoosing = found.rechosen(goals)
    optimal = np.maximum(found.best(goals), rechoosing)
    legs = cache(lambda: jnp.asarray(found.leg_by_leg(), reals))
    # Not `jnp.asarray`, which compiles a program for each new number of states.
    arrays = jax.device_put((np.asarray(rechoosing, reals), np.asarray(optimal, reals)))
    return Evaluation(arrays[0], None, arrays[1], legs)


def optimal_discount(world: MDP | HasMDP, goal: Index, *, discount: Scalar) -> Float[Array, " S"]:
    r"""Return the largest expected discount to the goal over all policies.

    This is policy iteration with exact FRs. The value of a state is the FR of the current policy
    at the goal; each round takes the actions that lead to higher values, until there are none. It
    starts from the greedy policy of S sweeps of value iteration. Value iteration alone would not
    be enough: near a discount of 1, a sweep changes values by less than a rounding long before
    they have converged.

    The relative error is about $\epsilon / (1 - \gamma)$ at most: 1e-3 in float32 at a discount of
    .9999, 2e-9 in float64 at 1 - 1e-7. Where states are left with a probability near $1 - \gamma$
    no method can do better, because rounding the transition probabilities changes the optimum by
    as much.

    Args:
        discount: discount factor $\gamma$ per step, from 0 to 1 (exclusive).

    Returns:
        For every state $\max_\pi F^\pi(s, g)$.
    """
    mdp = as_mdp("optimal_discount", world)
    ending = absorbing(mdp, goal)
    start = value_iteration.solve(
        ending, discount=discount, error=0.0, max_iterations=mdp.num_states
    ).policy
    # The search needs no derivatives: those of the optimum are those of the best policy's FR.
    frozen = jax.lax.stop_gradient((mdp.transition, jnp.asarray(discount)))
    best = _best_actions(*frozen, jnp.asarray(goal), start)
    followed = mdp.transition[jnp.arange(mdp.num_states), best]
    return first_occupancy.solve(followed, discount=discount)[:, goal]


class _Round(NamedTuple):
    """A round of policy iteration: a policy, its improvement, and the values to exceed.

    `highest` holds the largest value of each state over all rounds. Only a value above it is
    progress, so that rounding cannot make policies alternate.
    """

    actions: Int[Array, " S"]
    improved: Int[Array, " S"]
    highest: Float[Array, " S"]
    progress: Bool[Array, ""]


@jax.jit
def _best_actions(
    transition: Float[Array, "S A S"],
    discount: Float[Array, ""],
    goal: Int[Array, ""],
    actions: Int[Array, " S"],
) -> Int[Array, " S"]:
    """Return the actions to which policy iteration towards the goal converges."""
    states = jnp.arange(len(transition))

    def values_of(actions: Int[Array, " S"]) -> Float[Array, " S"]:
        return first_occupancy.solve(transition[states, actions], discount=discount)[:, goal]

    def unfinished(last: _Round) -> Bool[Array, ""]:
        return last.progress & (last.improved != last.actions).any()

    def advance(last: _Round) -> _Round:
        values = values_of(last.improved)
        progress = (values > (1 + _rounding(values)) * last.highest).any()
        actions = jnp.where(progress, last.improved, last.actions)
        improved = _improved(transition, goal, actions, values)
        return _Round(actions, improved, jnp.maximum(values, last.highest), progress)

    values = values_of(actions)
    improved = _improved(transition, goal, actions, values)
    begin = _Round(actions, improved, values, jnp.array(True))
    return jax.lax.while_loop(unfinished, advance, begin).actions


def _improved(
    transition: Float[Array, "S A S"],
    goal: Int[Array, ""],
    actions: Int[Array, " S"],
    values: Float[Array, " S"],
) -> Int[Array, " S"]:
    """Return the actions that lead to higher values, unchanged where none is better."""
    states = jnp.arange(len(transition))
    # Differences of rows first: in a state that is left rarely, a better action gains less per
    # step than a rounding of the value, but gains it thousands of times.
    change = transition - transition[states, actions][:, None]
    gains = (change * values[None, None]).sum(axis=2)
    sizes = (jnp.abs(change) * values[None, None]).sum(axis=2)
    better = (gains > _rounding(values) * sizes).any(axis=1) & (states != goal)
    return jnp.where(better, gains.argmax(axis=1), actions)


def _rounding(values: Float[Array, " S"]) -> float:
    return ROUNDINGS * float(jnp.finfo(values.dtype).eps)


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
    """Raise unless `policies` fit the plan; JAX clamps indices and would use other policies.

    Raises:
        InputError: if the plan is not one plan over the states of `policies`, or follows a
            policy that is not among them.
    """
    check_shape(caller, "policies", policies, "N S A")
    if plan.policy.shape != policies.shape[1:2]:
        raise InputError(
            f"{caller}: plan must be one plan for the {policies.shape[1]} states of "
            f"policies, got policies of shape {plan.policy.shape}"
        )
    if is_known(plan.policy):
        check_followed(caller, np.asarray(plan.policy), len(policies))


def _rechoosing(plan: Plan, mdp: MDP, policies: Array, discount: Scalar) -> Array:
    followed = chain(mdp, rechoosing_policy(plan, policies))
    return first_occupancy.solve(followed, discount=discount)[:, plan.goal]


def _leg_by_leg(plan: Plan, mdp: MDP, policies: Array, discount: Scalar) -> Array:
    return discount_of_legs(plan, first_occupancy.solve(chain(mdp, policies), discount=discount))


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
