r"""Value iteration: the optimum, given the full model and the reward.

$$V_{k+1}(s) = \max_a \sum_{s'} p(s'|s,a)\,[r(s,a,s') + \gamma V_k(s')]$$

In sparse worlds a move that takes time d is discounted by $\gamma^d$.
"""

from functools import partial
from typing import Annotated

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.sparse import csc_array, csr_array, eye_array, vstack
from scipy.sparse.linalg import splu

from first_occupancy.core.arguments import Limits, NonNegativeFloat, check_arguments
from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import check_discount, check_shape
from first_occupancy.core.mdp import MDP, HasMDP, as_mdp
from first_occupancy.core.sparse_mdp import SparseMDP, sparse_part

NO_LIMIT = 10**9
"""Sweeps allowed without a limit; the stopping rule applies long before."""


class Solution(eqx.Module):
    """The result of dynamic programming.

    Attributes:
        values: value of each state.
        policy: action to take in each state.
        iterations: number of sweeps (value iteration) or rounds (policy iteration).
    """

    values: Float[Array, " S"]
    policy: Int[Array, " S"]
    iterations: Int[Array, ""]


@check_arguments
def action_values(mdp: MDP, values: Float[Array, " S"], *, discount: Scalar) -> Float[Array, "S A"]:
    """Return the value of each action by one step of look-ahead.

    Args:
        mdp: the world.
        values: value of each next state.
        discount: discount factor per step, from 0 to 1 (exclusive).

    Raises:
        InputError: if `values` is not one number for each state, or `discount` is out of range.
    """
    check_discount("action_values", discount)
    check_shape("action_values", "values", values, "S", S=mdp.num_states)
    worth = mdp.reward + discount * values[None, None, :]
    return jnp.einsum("sat,sat->sa", mdp.transition, worth, precision="highest")


@partial(check_arguments, caller="value_iteration.solve")
def solve(
    world: MDP | HasMDP | SparseMDP,
    *,
    discount: Scalar,
    error: NonNegativeFloat = 1e-6,
    max_iterations: Annotated[Index, Limits(least=0)] | None = None,
) -> Solution:
    r"""Return values within `error` of the optimum, or those after `max_iterations` sweeps.

    It stops when a sweep changes no value by more than $\epsilon (1-\gamma) / 2\gamma$, which
    bounds the greedy policy's loss by $\epsilon$ (Puterman 1994, sec. 6.3), or by more than
    rounding.

    Args:
        world: an MDP, dense or sparse, or anything that has a dense one, such as a maze.
        discount: discount factor $\gamma$ per step, from 0 to 1 (exclusive).
        error: tolerated error $\epsilon$, at least 0. With 0, sweeps continue until values change
            in their last digits only, which leaves a relative error of about
            $10^{-16} / (1 - \gamma)$ in float64.
        max_iterations: upper bound on sweeps, at least 0; None sets no limit.
    """
    check_discount("value_iteration.solve", discount)
    limit = NO_LIMIT if max_iterations is None else max_iterations
    sparse = sparse_part(world)
    if sparse is not None:
        factor = float(np.asarray(discount))
        return _solve_sparse(sparse, discount=factor, error=error, limit=int(np.asarray(limit)))
    mdp = as_mdp("value_iteration.solve", world)
    return _solve(mdp.unnamed(), discount, error, limit)


@jax.jit
def _solve(mdp: MDP, discount: Scalar, error: Scalar, limit: Index) -> Solution:
    eps, tiny = jnp.finfo(mdp.transition.dtype).eps, jnp.finfo(mdp.transition.dtype).tiny
    enough = error * (1 - discount) / jnp.maximum(2 * discount, tiny)

    def unfinished(carry: tuple[Array, Array, Array]) -> Array:
        _, changing, count = carry
        return changing & (count < limit)

    def sweep(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        values, _, count = carry
        improved = action_values(mdp, values, discount=discount).max(axis=1)
        settled = jnp.maximum(enough, 4 * eps * jnp.abs(improved))
        return improved, jnp.any(jnp.abs(improved - values) > settled), count + 1

    begin = (jnp.zeros_like(mdp.start_distribution), jnp.array(True), jnp.array(0))
    values, _, count = jax.lax.while_loop(unfinished, sweep, begin)
    return Solution(values, action_values(mdp, values, discount=discount).argmax(axis=1), count)


class Backups:
    """The Bellman equations of a sparse world.

    Args:
        world: the world, whose moves may take time.
        discount: discount factor per unit of time.
    """

    def __init__(self, world: SparseMDP, discount: float) -> None:
        durations = np.ones_like(world.rewards) if world.durations is None else world.durations
        chains = world.policy_chains(None, weights=discount**durations)
        self.rows = csr_array(vstack(chains, format="csr"))
        self.rewards = world.rewards.T

    def ahead(self, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, "A S"]:
        """Return the expected discounted value after one move of each action."""
        return (self.rows @ values).reshape(self.rewards.shape)

    def action_values(self, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, "A S"]:
        """Return the value of each action, given the values of the next states."""
        return self.rewards + self.ahead(values)

    def value_of(self, policy: Int[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
        """Return the values of a deterministic policy, from the linear Bellman equations."""
        size, states = len(policy), np.arange(len(policy))
        rewards = self.rewards[policy, states]
        matrix = csc_array(eye_array(size) - self.rows[policy * size + states])
        return splu(matrix, permc_spec="MMD_AT_PLUS_A").solve(rewards)


def _solve_sparse(world: SparseMDP, *, discount: float, error: float, limit: int) -> Solution:
    """Return the solution of a sparse world, in float64 on the host."""
    backups = Backups(world, discount)
    shrinks = float(backups.rows.sum(axis=1).max())
    enough = error * (1 - shrinks) / max(2 * shrinks, np.finfo(float).tiny)
    values, count, changing = np.zeros(world.num_states), 0, True
    while changing and count < limit:
        improved = backups.action_values(values).max(axis=0)
        settled = np.maximum(enough, 4 * np.finfo(float).eps * np.abs(improved))
        changing = bool((np.abs(improved - values) > settled).any())
        values, count = improved, count + 1
    found = values, backups.action_values(values).argmax(axis=0), count
    return Solution(*map(jnp.asarray, found))
