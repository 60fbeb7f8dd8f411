"""What following a plan really brings, and what the best possible plan would."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import InputError, check_shape, is_known
from first_occupancy.core.mdp import MDP, HasMDP, absorbing, as_mdp, as_policies, chain
from first_occupancy.planning.dynamic_programming import value_iteration
from first_occupancy.planning.plans import Plan
from first_occupancy.representations import first_occupancy


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

    Policy iteration on the FR's column of the goal, begun where value iteration stops. Near a
    discount of 1 a sweep of value iteration changes values by less than their last digit long
    before they have converged, so its policy may be far from the best; the exact column of a policy
    has all its digits. Rounding may make the last policies alternate, so the result is the largest
    value that one of them attains in each state.

    Args:
        world: an MDP, or anything that has one, such as a maze.
        goal: state to reach.
        discount: discount factor per step.
    """
    mdp = as_mdp("optimal_discount", world)
    first = value_iteration.solve(absorbing(mdp, goal), discount=discount, error=0.0).policy
    return _optimum(mdp.unnamed(), jnp.asarray(goal), first, discount)


MOST_ROUNDS = 100
"""Rounds of policy iteration, of which a handful is the rule."""


@jax.jit
def _optimum(
    mdp: MDP, goal: Int[Array, ""], first: Int[Array, " S"], discount: Scalar
) -> Float[Array, " S"]:
    states = jnp.arange(mdp.num_states)

    def column(policy: Int[Array, " S"]) -> Float[Array, " S"]:
        return first_occupancy.solve(mdp.transition[states, policy], discount=discount)[:, goal]

    def improved(policy: Array, values: Array) -> Array:
        ahead = discount * jnp.matmul(mdp.transition, values, precision="highest")
        own = jnp.take_along_axis(ahead, policy[:, None], axis=1)[:, 0]
        # An action is changed only for a better one, so equally good actions do not alternate.
        better = ahead.max(axis=1) > own * (1 + 4 * jnp.finfo(values.dtype).eps)
        return jnp.where(better, ahead.argmax(axis=1), policy)

    def unfinished(carry: tuple[Array, Array, Array, Array]) -> Array:
        policy, before, _, rounds = carry
        return (policy != before).any() & (rounds < MOST_ROUNDS)

    def advance(carry: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        policy, _, best, rounds = carry
        values = column(policy)
        return improved(policy, values), policy, jnp.maximum(best, values), rounds + 1

    start = (first, jnp.full_like(first, -1), jnp.zeros_like(mdp.start_distribution), jnp.array(0))
    return jax.lax.while_loop(unfinished, advance, start)[2]


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
