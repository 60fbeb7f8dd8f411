"""What each planner does in every state for every goal, and what comes of it exactly.

Choices are kept as policies [G S A]: probabilities of the actions, equal ones where
nothing decides between them. An agent takes the first of the best, as argmax does.
"""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Int

from first_occupancy.core import MDP, Index, Scalar, chain, constant_policies
from first_occupancy.experiments.four_rooms.task import expected_return, worth_of_arriving
from first_occupancy.planning import frp, gpi
from first_occupancy.planning.dynamic_programming import value_iteration
from first_occupancy.planning.plans import NOTHING
from first_occupancy.representations import first_occupancy

SAME_WORTH = 1e-9
"""Actions whose values differ by less are tied."""


@jax.jit
def exact_frs(mdp: MDP, discount: Scalar) -> Float[Array, "A S S"]:
    """Return the FRs of the one-action policies."""
    return first_occupancy.solve(chain(mdp, constant_policies(mdp)), discount=discount)


def frp_policies(
    frs: Float[ArrayLike, "A S S"], max_switches: int | None = None
) -> Float[np.ndarray, "G S A"]:
    """Return FRP's choices, for base policies that take one action each.

    Nothing decides where no sequence of policies is known to reach the goal.
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
def vi_policies(mdps: MDP, limits: Int[Array, " X"], discount: Scalar) -> Float[Array, "X G S A"]:
    """Return value iteration's choices in each world after its number of sweeps.

    After 0 sweeps all states are worth nothing, and the action is the best by its own
    reward. Nothing decides where several actions are worth the same.
    """

    def plan(mdp: MDP, limit: Index, goal: Index) -> Array:
        world = worth_of_arriving(mdp, goal)
        solved = value_iteration.solve(world, discount=discount, max_iterations=limit)
        worth = value_iteration.action_values(world, solved.values, discount=discount)
        best = worth >= worth.max(axis=1, keepdims=True) - SAME_WORTH
        return best / best.sum(axis=1, keepdims=True)

    def plans(case: tuple[MDP, Array]) -> Array:
        goals = jnp.arange(mdps.transition.shape[1])
        return jax.lax.map(lambda goal: plan(*case, goal), goals)

    return jax.lax.map(plans, (mdps, limits))


def first_of_best(policies: Float[np.ndarray, "*P S A"]) -> Int[np.ndarray, "*P S"]:
    """Return the action an agent takes: the first of those that seem best."""
    return policies.argmax(axis=-1)


@partial(jax.jit, static_argnames="steps")
def expected_returns(
    mdp: MDP, policies: Float[Array, "P G S A"], start: Index, *, discount: Scalar, steps: int
) -> Float[Array, " P"]:
    """Return what each planner gets in an episode, in expectation."""

    def one(policies: Array) -> Array:
        return expected_return(mdp, policies, start, discount=discount, steps=steps)

    return jax.lax.map(one, policies)


def discounts(
    mdp: MDP, actions: Int[np.ndarray, "P G S"], discount: float
) -> Float[np.ndarray, "P G S"]:
    r"""Return the exact expected discount to each goal from each state under the actions.

    The FR's recursion $d = 1_g + \gamma (1 - 1_g) P d$ for one goal g is a linear system.
    In NumPy, since it has batches of these without a compiler's delay.
    """
    states = np.arange(mdp.num_states)
    followed = np.asarray(mdp.transition)[states, actions]
    followed[:, states, states] = 0
    system = np.eye(len(states)) - discount * followed
    arrived = np.broadcast_to(np.eye(len(states)), actions.shape)
    return np.linalg.solve(system, arrived[..., None])[..., 0]


def without_costs(mdp: MDP) -> MDP:
    """Return the world in which bumps are free.

    Value iteration then finds the largest expected discounts that any policy has. It is
    also what a reward per state can say, which knows of goals but not of bumps.
    """
    return MDP(mdp.transition, np.zeros(mdp.reward.shape), mdp.start_distribution)


def stack(mdps: Sequence[MDP]) -> MDP:
    """Return the worlds as one, with a leading axis."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *(mdp.unnamed() for mdp in mdps))


def mean_over_pairs(values: Float[np.ndarray, "G S"]) -> float:
    """Return the mean over all pairs of a goal and another state."""
    return float(values[~np.eye(len(values), dtype=bool)].mean())
