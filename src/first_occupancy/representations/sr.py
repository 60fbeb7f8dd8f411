r"""The successor representation (SR): how often a policy will be in each state.

$$M^\pi(s, s') = \mathbb{E}_\pi\Big[\sum_{k \ge 0} \gamma^k\, 1(s_k = s') \,\Big|\, s_0 = s\Big]
  = 1(s = s') + \gamma\ \mathbb{E}[M(s_1, s')]$$

(Dayan 1993; the paper's eq. "SR_def".) It is the FR's foil: every visit counts.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import check_discount, check_probabilities, check_shape
from first_occupancy.core.mdp import floats
from first_occupancy.core.memory import check_fits
from first_occupancy.representations._solvers.elimination import sum_of_powers
from first_occupancy.representations._solvers.sparse import (
    Chain,
    SparseChain,
    check_shrinks,
    successor_columns,
)
from first_occupancy.representations.representation import (
    apply_to_all,
    following_row,
    learn,
    move_row,
)


def initial(num_states: int) -> Float[Array, "S S"]:
    """Return the SR before any experience: each state is visited once, now."""
    return jnp.eye(num_states)


def solve(chain: Float[Array, "*N S S"] | SparseChain, discount: Scalar) -> Float[Array, "*N S S"]:
    r"""Return the exact SR of a Markov chain, or of each chain of a stack.

    $$M = (I - \gamma P)^{-1} = \sum_k (\gamma P)^k$$

    All terms of the sum are non-negative and it is found with next to no subtraction
    (`elimination`): entries of 1e-30 come out as accurate as entries of 1, and zeros as zeros.
    A general linear solver would leave noise near 1e-16 there, which a planner that
    maximises products of such entries would take for paths. Of a sparse chain this is every
    column; `solve_columns` finds those of some goals.
    """
    if isinstance(chain, SparseChain):
        rows = csr_array(chain)
        _check_memory(rows.shape)
        return jnp.asarray(
            solve_columns(rows, np.arange(rows.shape[0]), float(np.asarray(discount)))
        )
    check_discount("solve", discount)
    check_shape("solve", "chain", chain, "*N S S")
    _check_memory(np.shape(chain))
    check_probabilities("solve", "chain", chain, ("state",))
    check_shrinks("solve", chain, discount)
    return sum_of_powers(jnp.asarray(discount * floats(chain)))


def solve_columns(
    chain: Chain, goals: Int[np.ndarray, " G"], discount: float
) -> Float[np.ndarray, "S G"]:
    """Return the columns of the exact SR for some goals, M(s, g) from every state s.

    For sparse chains too large for `solve`, and as accurate: see `sparse`.
    """
    return successor_columns(chain, goals, discount)


def _check_memory(shape: tuple[int, ...]) -> None:
    """Raise unless four arrays of the chain's shape fit: what `solve` needs besides it."""
    needed = 4 * math.prod(shape) * jnp.result_type(float).itemsize
    check_fits("solve", needed, instead="solve_columns, or plan_paths for deterministic policies,")


def own_visits(sr: Float[Array, "*N S S"]) -> Float[Array, "*N 1 S"]:
    """Return M(g, g) of every state g, as a row to divide columns by."""
    return jnp.diagonal(sr, axis1=-2, axis2=-1)[..., None, :]


def target(state: Index, following: Float[Array, " S"], discount: Scalar) -> Float[Array, " S"]:
    """Return what row `state` should be, given the (expected) row that follows it."""
    here = jax.nn.one_hot(state, len(following), dtype=following.dtype)
    return here + discount * following


def backup(
    sr: Float[Array, "*N S S"], chain: Float[Array, "*N S S"], discount: Scalar
) -> Float[Array, "*N S S"]:
    r"""Return the Bellman operator applied to an SR, $I + \gamma P M$."""
    return apply_to_all(target, sr, chain, discount)


def td_step(
    sr: Float[Array, "S S"],
    state: Index,
    next_state: Index,
    *,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "S S"], Float[Array, " S"]]:
    """Update row `state` from one transition; return the new SR and the TD error."""
    following = following_row(sr, next_state, discount)
    return move_row(sr, state, target(state, following, discount), step_size)


def td_learn(
    sr: Float[Array, "*N S S"], states: Int[Array, "*N T"], *, discount: Scalar, step_size: Scalar
) -> tuple[Float[Array, "*N S S"], Float[Array, "*N T-1"]]:
    """Run `td_step` along a walk; return the SR and the L2 norm of each TD error.

    A stack of them learns along a stack of walks, each along its own.
    """
    return learn(target, sr, (states,), discount=discount, step_size=step_size)
