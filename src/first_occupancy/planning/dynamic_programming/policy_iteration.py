r"""Policy iteration: evaluate the policy exactly, act greedily, until the policy is stable."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import lu_factor, lu_solve
from jaxtyping import Array, Float, Int

from first_occupancy.core.arguments import NonNegativeInt, check_arguments
from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import check_discount, check_indices, check_shape
from first_occupancy.core.mdp import MDP, HasMDP, as_mdp
from first_occupancy.core.sparse_mdp import SparseMDP, sparse_part
from first_occupancy.planning.dynamic_programming.value_iteration import (
    Backups,
    Solution,
    action_values,
)
from first_occupancy.planning.limits import NOISE


@partial(check_arguments, caller="policy_iteration.solve")
def solve(
    world: MDP | HasMDP | SparseMDP,
    *,
    discount: Scalar,
    max_iterations: NonNegativeInt = 1000,
) -> Solution:
    """Return the optimal values and policy.

    An action is changed only for a better one, so equally good actions do not alternate. The count
    of `iterations` includes the last round, which changes nothing.

    Args:
        world: an MDP, dense or sparse, or anything that has a dense one, such as a maze.
        discount: discount factor per step, from 0 to 1 (exclusive).
        max_iterations: upper bound on rounds of evaluation and improvement, at least 0.
    """
    check_discount("policy_iteration.solve", discount)
    sparse = sparse_part(world)
    if sparse is not None:
        factor = float(np.asarray(discount))
        return _solve_sparse(sparse, discount=factor, limit=max_iterations)
    mdp = as_mdp("policy_iteration.solve", world)
    return _solve(mdp.unnamed(), discount, max_iterations)


@check_arguments
def evaluate(mdp: MDP, policy: Int[Array, " S"], *, discount: Scalar) -> Float[Array, " S"]:
    """Return the values of a deterministic policy, from the linear Bellman equations.

    The solution is refined once, by solving for its residual. Near a discount of 1 digits are still
    lost, but equally in all states, so that actions can be compared to the last digits.

    Args:
        mdp: the world.
        policy: action taken in each state.
        discount: discount factor per step, from 0 to 1 (exclusive).

    Raises:
        InputError: if `policy` is not one action for each state, or `discount` is out of range.
    """
    check_discount("evaluate", discount)
    check_shape("evaluate", "policy", policy, "S", S=mdp.num_states)
    check_indices("evaluate", "policy", policy, mdp.num_actions)
    states = jnp.arange(mdp.num_states)
    chain = mdp.transition[states, policy]
    reward = jnp.einsum("st,st->s", chain, mdp.reward[states, policy], precision="highest")
    factors = lu_factor(jnp.eye(len(chain), dtype=chain.dtype) - discount * chain)
    values = lu_solve(factors, reward)
    ahead = jnp.matmul(chain, values, precision="highest")
    return values + lu_solve(factors, reward + discount * ahead - values)


@jax.jit
def _solve(mdp: MDP, discount: Scalar, limit: Index) -> Solution:
    def unfinished(carry: tuple[Array, Array, Array]) -> Array:
        _, changed, count = carry
        return changed & (count < limit)

    def improve(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        policy, _, count = carry
        values = evaluate(mdp, policy, discount=discount)
        worth = action_values(mdp, values, discount=discount)
        current = jnp.take_along_axis(worth, policy[:, None], axis=1)[:, 0]
        # The tolerance is per state: far from all rewards, values are tiny but must be compared.
        better = worth.max(axis=1) > current + _rounding(mdp, values, discount)
        return jnp.where(better, worth.argmax(axis=1), policy), better.any(), count + 1

    begin = (jnp.zeros(mdp.num_states, dtype=int), jnp.array(True), jnp.array(0))
    policy, _, count = jax.lax.while_loop(unfinished, improve, begin)
    return Solution(evaluate(mdp, policy, discount=discount), policy, count)


def _rounding(mdp: MDP, values: Float[Array, " S"], discount: Scalar) -> Float[Array, " S"]:
    """Return a tolerance for each state: some rounding errors of the terms of its action values."""
    sizes = action_values(jax.tree.map(jnp.abs, mdp), jnp.abs(values), discount=discount)
    return 16 * jnp.finfo(values.dtype).eps * sizes.max(axis=1)


def _solve_sparse(world: SparseMDP, *, discount: float, limit: int) -> Solution:
    """Return the solution of a sparse world, in float64 on the host."""
    backups, states = Backups(world, discount), np.arange(world.num_states)
    policy, count, changed = np.zeros(world.num_states, int), 0, True
    values = backups.value_of(policy)
    while changed and count < limit:
        ahead = backups.action_values(values)
        sizes = np.abs(backups.rewards) + backups.ahead(np.abs(values))
        rounding = NOISE * sizes.max(axis=0)
        better = ahead.max(axis=0) > ahead[policy, states] + rounding
        policy = np.where(better, ahead.argmax(axis=0), policy)
        changed, count = bool(better.any()), count + 1
        if changed:
            values = backups.value_of(policy)
    return Solution(*map(jnp.asarray, (values, policy, count)))
