r"""The lambda-representation: each visit to a state is worth `decay` times the one before.

$$\Lambda(s, s') = \mathbb{E}_\pi\Big[\sum_{k \ge 0} \lambda^{n_k(s')} \gamma^k\, 1(s_k = s')
  \,\Big|\, s_0 = s\Big], \qquad n_k(s') = \#\{j < k : s_j = s'\}$$

A decay $\lambda$ of 0 gives the FR, 1 the SR, and what lies between suits rewards that
diminish, as a berry bush does. It is from the authors' later work (Moskovitz et al.
2023, "A state representation for diminishing rewards").
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import check_share
from first_occupancy.representations import successor
from first_occupancy.representations.representation import (
    apply_to_all,
    following_row,
    learn,
    move_row,
)


def initial(num_states: int) -> Float[Array, "S S"]:
    """Return the representation before any experience: each state is visited once, now."""
    return jnp.eye(num_states)


def solve(
    chain: Float[Array, "*N S S"], discount: Scalar, *, decay: Scalar
) -> Float[Array, "*N S S"]:
    r"""Return the exact lambda-representation of a Markov chain, or of each of a stack.

    With F the FR, M the SR and $R(g) = 1 - 1 / M(g, g)$ the expected discount from
    leaving g to being back,

    $$\Lambda(s, g) = F(s, g)\,(1 + \lambda R + \lambda^2 R^2 + \dots)
      = \frac{M(s, g)}{(1 - \lambda)\, M(g, g) + \lambda}.$$
    """
    check_share("solve", "decay", decay)
    visits = successor.solve(chain, discount)
    return visits / ((1 - decay) * successor.own_visits(visits) + decay)


def target(
    state: Index, following: Float[Array, " S"], discount: Scalar, *, decay: Scalar
) -> Float[Array, " S"]:
    """Return what row `state` should be, given the (expected) row that follows it."""
    here = jax.nn.one_hot(state, len(following), dtype=following.dtype)
    return here + discount * (1 - (1 - decay) * here) * following


def backup(
    rep: Float[Array, "*N S S"], chain: Float[Array, "*N S S"], discount: Scalar, *, decay: Scalar
) -> Float[Array, "*N S S"]:
    """Return the Bellman operator applied to a lambda-representation."""
    return apply_to_all(Partial(target, decay=decay), rep, chain, discount)


def td_step(
    rep: Float[Array, "S S"],
    state: Index,
    next_state: Index,
    *,
    discount: Scalar,
    step_size: Scalar,
    decay: Scalar,
) -> tuple[Float[Array, "S S"], Float[Array, " S"]]:
    """Update row `state` from one transition; return the new array and the TD error."""
    check_share("td_step", "decay", decay)
    following = following_row(rep, next_state, discount)
    return move_row(rep, state, target(state, following, discount, decay=decay), step_size)


def td_learn(
    rep: Float[Array, "*N S S"],
    states: Int[Array, "*N T"],
    *,
    discount: Scalar,
    step_size: Scalar,
    decay: Scalar,
) -> tuple[Float[Array, "*N S S"], Float[Array, "*N T-1"]]:
    """Run `td_step` along a walk; return the array and the L2 norm of each TD error.

    A stack of them learns along a stack of walks, each along its own.
    """
    check_share("td_learn", "decay", decay)
    decaying = Partial(target, decay=decay)
    return learn(decaying, rep, (states,), discount=discount, step_size=step_size)


class WithDecay(NamedTuple):
    """The lambda-representation at one decay, where code wants any `Representation`."""

    decay: Scalar

    def target(
        self, state: Index, following: Float[Array, " S"], discount: Scalar
    ) -> Float[Array, " S"]:
        """Return `target` at this decay."""
        return target(state, following, discount, decay=self.decay)

    def solve(self, chain: Float[Array, "*N S S"], discount: Scalar) -> Float[Array, "*N S S"]:
        """Return `solve` at this decay."""
        return solve(chain, discount, decay=self.decay)
