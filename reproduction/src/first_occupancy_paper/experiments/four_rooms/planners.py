"""The policy of each planner for every goal, and its exact returns and discounts.

Policies are stored as [G S A]: probabilities of the actions, equal where actions are tied. An
agent breaks ties by taking the first of the best actions, as argmax does.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Int

from first_occupancy.core import MDP, Index, Scalar, chain, constant_policies
from first_occupancy.planning import frp, gpi
from first_occupancy.planning.dynamic_programming import value_iteration
from first_occupancy.planning.plans import NOTHING
from first_occupancy.representations import first_occupancy

from .task import worth_of_arriving

SAME_WORTH = 1e-9
"""Actions whose values differ by less are tied."""


@jax.jit
def exact_frs(mdp: MDP, discount: Scalar) -> Float[Array, "A S S"]:
    """Return the FRs of the one-action policies."""
    return first_occupancy.solve(chain(mdp, constant_policies(mdp)), discount=discount)


def frp_policies(
    frs: Float[ArrayLike, "A S S"], max_switches: int | None = None
) -> Float[np.ndarray, "G S A"]:
    """Return FRP's policies. All actions are tied where no plan is known to reach the goal.

    Args:
        frs: FRs of the base policies, which take one action each.
        max_switches: upper bound on policy switches; 0 is generalised policy improvement, None
            plans until convergence.
    """
    plans = frp.plan_to_every_goal(jnp.asarray(frs), max_switches=max_switches)
    chosen, num_actions = np.asarray(plans.policy), np.shape(frs)[0]
    lost = (chosen == NOTHING)[:, :, None]
    return np.where(lost, 1 / num_actions, np.eye(num_actions)[chosen])


@jax.jit
def gpi_actions(frs: Float[Array, "A S S"]) -> Int[Array, "G S"]:
    """Return the policy, and so the action, that GPI chooses for each goal and state."""
    return jax.vmap(lambda reward: gpi.choose_policy(frs, reward))(jnp.eye(frs.shape[1]))


@jax.jit
def vi_policies(mdp: MDP, limits: Int[Array, " X"], discount: Scalar) -> Float[Array, "X G S A"]:
    """Return value iteration's policies after some numbers of sweeps.

    After 0 sweeps all states have value 0, and actions are chosen by their immediate reward.

    Args:
        mdp: world without names.
        limits: largest numbers of sweeps; `NO_LIMIT` runs until convergence.
        discount: discount factor per step, from 0 to 1 (exclusive).
    """

    def plan(limit: Index, goal: Index) -> Array:
        world = worth_of_arriving(mdp, goal)
        solved = value_iteration.solve(world, discount=discount, max_iterations=limit)
        worth = value_iteration.action_values(world, solved.values, discount=discount)
        best = worth >= worth.max(axis=1, keepdims=True) - SAME_WORTH
        return best / best.sum(axis=1, keepdims=True)

    def plans(limit: Index) -> Array:
        return jax.lax.map(partial(plan, limit), jnp.arange(mdp.num_states))

    return jax.lax.map(plans, limits)


def discounts(
    mdp: MDP, actions: Int[np.ndarray, "P G S"], discount: float
) -> Float[np.ndarray, "P G S"]:
    r"""Return the exact expected discount to each goal from each state under the actions.

    The FR's recursion $d = 1_g + \gamma (1 - 1_g) P d$ for one goal g is a linear system, which
    NumPy solves in batches without having to compile.

    Args:
        mdp: world in which the actions are taken.
        actions: action of each planner, for each goal and state.
        discount: discount factor per step, from 0 to 1 (exclusive).
    """
    states = np.arange(mdp.num_states)
    followed = np.asarray(mdp.transition)[states, actions]
    followed[:, states, states] = 0
    system = np.eye(len(states)) - discount * followed
    arrived = np.broadcast_to(np.eye(len(states)), actions.shape)
    return np.linalg.solve(system, arrived[..., None])[..., 0]


def without_costs(mdp: MDP) -> MDP:
    """Return the world in which bumps are free.

    Value iteration then finds the largest expected discount of any policy. This is also all that
    a reward function of states can express: goals, but not bumps.
    """
    return MDP(mdp.transition, np.zeros(mdp.reward.shape), mdp.start_distribution)


def mean_over_pairs(values: Float[np.ndarray, "G S"]) -> float:
    """Return the mean over all pairs of a goal and another state."""
    return float(values[~np.eye(len(values), dtype=bool)].mean())
