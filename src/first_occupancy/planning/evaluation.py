"""What following a plan really brings, and what the best possible plan would."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import InputError, check_shape, is_known
from first_occupancy.core.mdp import MDP, HasMDP, absorbing, as_mdp, as_policies, chain
from first_occupancy.planning.dynamic_programming import value_iteration
from first_occupancy.planning.plans import Plan
from first_occupancy.representations import first_occupancy

ROUNDINGS = 4
"""Gains below this many roundings of their terms do not count as improvements of a policy."""


class Evaluation(eqx.Module):
    """Exact expected discounts from each state.

    `rechoosing` looks the plan up anew in every state until the goal is first reached.
    `leg_by_leg` follows each policy until its subgoal whatever happens on the way, and is
    the discount when the last leg ends: an option does not notice that it passes the goal
    by. `optimal` may use every action of the world in every state.
    """

    rechoosing: Float[Array, " S"]
    leg_by_leg: Float[Array, " S"]
    optimal: Float[Array, " S"]

    @property
    def gap(self) -> Float[Array, " S"]:
        """What FRP costs: the optimum less what re-choosing at every state brings."""
        return self.optimal - self.rechoosing


def evaluate(
    plan: Plan,
    world: MDP | HasMDP,
    base_policies: Float[Array, "N S A"] | Int[Array, "N S"],
    *,
    discount: Scalar,
) -> Evaluation:
    """Return what following the plan brings in this world, exactly.

    The plan may come from learned FRs; here it meets the true dynamics.
    """
    mdp = as_mdp("evaluate", world)
    if plan.policy.shape != (mdp.num_states,):
        raise InputError(
            f"evaluate: plan must be one plan for the world's {mdp.num_states} states, "
            f"got policies of shape {plan.policy.shape}"
        )
    base_policies = as_policies("evaluate", mdp, base_policies)
    check_base_policies("evaluate", plan, base_policies)
    rechoosing = _rechoosing(plan, mdp, base_policies, discount)
    optimal = optimal_discount(mdp, plan.goal, discount=discount)
    return Evaluation(
        rechoosing=rechoosing,
        leg_by_leg=_leg_by_leg(plan, mdp, base_policies, discount),
        # What a plan attains is attainable: where they differ, rounding has the last digit.
        optimal=jnp.maximum(optimal, rechoosing),
    )


def optimal_discount(world: MDP | HasMDP, goal: Index, *, discount: Scalar) -> Float[Array, " S"]:
    r"""Return the largest expected discount to the goal that any policy has.

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
        world: an MDP, or anything that has one, such as a maze.
        goal: the state to reach.
        discount: $\gamma$, at least 0 and below 1.

    Returns:
        For every state $\max_\pi F^\pi(s, g)$.
    """
    mdp = as_mdp("optimal_discount", world)
    ending = absorbing(mdp, goal)
    start = value_iteration.solve(
        ending, discount=discount, error=0.0, max_iterations=mdp.num_states
    ).policy
    # The policy is found without derivatives: those of its FR are those of the optimum.
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
    """Return the actions that policy iteration towards the goal ends with."""
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


def expected_discount(
    plan: Plan, chains: Float[Array, "N S S"], *, discount: float
) -> Float[Array, " S"]:
    """Return the expected discount of following a plan, re-choosing in every state.

    Where the plan has nothing to follow the goal is given up, and the discount is 0.

    Args:
        plan: plan to one goal.
        chains: Markov chain of each base policy in the true world.
        discount: discount factor per step.
    """
    states = np.arange(chains.shape[-1])
    policy = np.asarray(plan.policy)
    followed = np.asarray(chains)[policy, states]
    rows = np.where((policy >= 0)[:, None], followed, np.eye(len(states)))
    goal = np.array([int(plan.goal)])
    column = first_occupancy.solve_columns(csr_array(rows), goal, discount=discount)[:, 0]
    return jnp.asarray(column, plan.log_discount.dtype)


def rechoosing_policy(plan: Plan, base_policies: Float[Array, "N S A"]) -> Float[Array, "S A"]:
    """Return the policy that looks the plan up in every state.

    Where there is nothing to follow, all actions are equally likely.
    """
    check_base_policies("rechoosing_policy", plan, base_policies)
    num_actions = base_policies.shape[2]
    states = jnp.arange(len(plan.policy))
    lost = jnp.full((len(states), num_actions), 1 / num_actions)
    chosen = base_policies[plan.policy, states]
    return jnp.where((plan.policy >= 0)[:, None], chosen, lost)


def check_base_policies(caller: str, plan: Plan, base_policies: Float[Array, "N S A"]) -> None:
    """Raise unless these can be the policies of one plan: JAX would take others in their place."""
    check_shape(caller, "base_policies", base_policies, "N S A")
    if plan.policy.shape != base_policies.shape[1:2]:
        raise InputError(
            f"{caller}: plan must be one plan for the {base_policies.shape[1]} states of "
            f"base_policies, got policies of shape {plan.policy.shape}"
        )
    if is_known(plan.policy) and int(np.max(plan.policy)) >= len(base_policies):
        raise InputError(
            f"{caller}: base_policies must be those of the plan, which follows policy "
            f"{int(np.max(plan.policy))}, got {len(base_policies)}"
        )


def _rechoosing(plan: Plan, mdp: MDP, base_policies: Array, discount: Scalar) -> Array:
    followed = chain(mdp, rechoosing_policy(plan, base_policies))
    return first_occupancy.solve(followed, discount=discount)[:, plan.goal]


def _leg_by_leg(plan: Plan, mdp: MDP, base_policies: Array, discount: Scalar) -> Array:
    return discount_of_legs(
        plan, first_occupancy.solve(chain(mdp, base_policies), discount=discount)
    )


@jax.jit
def discount_of_legs(plan: Plan, frs: Float[Array, "N S S"]) -> Float[Array, " S"]:
    """Return the product of the FRs of a plan's legs, from each state to the goal.

    The FRs need not be those that the plan was made of.
    """
    states = jnp.arange(len(plan.policy))
    followed = plan.policy >= 0
    leg = jnp.where(followed, frs[plan.policy, states, plan.subgoal], plan.reachable)
    onward = jnp.where(followed, plan.subgoal, states)

    # Each round joins every leg to the plan behind its subgoal, which doubles the
    # number of legs covered; a plan has fewer legs than states.
    def join(_: Index, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        discount_so_far, onward = carry
        return discount_so_far * discount_so_far[onward], onward[onward]

    rounds = len(states).bit_length()
    return jax.lax.fori_loop(0, rounds, join, (leg, onward))[0]
