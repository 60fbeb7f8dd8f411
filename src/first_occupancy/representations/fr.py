r"""The first-occupancy representation (FR): how soon a policy first reaches each state.

$$F^\pi(s, s') = \mathbb{E}_\pi[\gamma^{T(s')} \mid s_0 = s], \qquad
  T(s') = \min\{k \ge 0 : s_k = s'\}$$

(Def. 3.1, with $\gamma^\infty = 0$.) Every entry lies in [0, 1] and the diagonal is 1,
since one is at once where one is. If policy and world are deterministic,
$F(s, s') = \gamma^k$ with k the number of steps from s to s'.

Looking one step ahead gives the recursion behind everything below: either one has
arrived, or one pays a factor $\gamma$ and asks again from the next state,

$$F(s, s') = 1(s = s') + \gamma\,(1 - 1(s = s'))\ \mathbb{E}[F(s_1, s')].$$

The successor representation lacks the factor $1 - 1(s = s')$ and so goes on counting.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.representations import successor
from first_occupancy.representations._solvers.sparse import (
    Chain,
    SparseChain,
    first_occupancy_columns,
)
from first_occupancy.representations.representation import (
    apply_to_all,
    following_row,
    learn,
    move_row,
)


def initial(num_states: int) -> Float[Array, "S S"]:
    """Return the FR before any experience: each state reaches itself and nothing else."""
    return jnp.eye(num_states)


def solve(chain: Float[Array, "*N S S"] | SparseChain, discount: Scalar) -> Float[Array, "*N S S"]:
    r"""Return the exact FR of a Markov chain, or of each chain of a stack.

    $$F(s, g) = M(s, g) / M(g, g), \qquad M = (I - \gamma P)^{-1}$$

    Every visit to g follows the first one, so dividing the successor representation by
    its diagonal leaves the first visit (strong Markov property). Each entry is accurate
    relative to its own size, and what is never reached gets exactly 0. Of a sparse chain
    this is every column; `solve_columns` finds those of some goals. For deterministic
    chains, `paths` walks.
    """
    return from_successor(successor.solve(chain, discount))


def solve_columns(
    chain: Chain, goals: Int[np.ndarray, " G"], discount: float
) -> Float[np.ndarray, "S G"]:
    """Return the columns of the exact FR for some goals, F(s, g) from every state s.

    For sparse chains too large for `solve`, and as accurate: see `sparse`.

    >>> solve_columns(np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([1]), 0.5)
    array([[0.5],
           [1. ]])
    """
    return first_occupancy_columns(chain, goals, discount)


def from_successor(sr: Float[Array, "*N S S"]) -> Float[Array, "*N S S"]:
    """Return the FR that belongs to an SR, M(s, g) / M(g, g)."""
    fr = sr / successor.own_visits(sr)
    # XLA divides by multiplying with the inverse, which may miss 1 by a rounding.
    states = jnp.arange(sr.shape[-1])
    return fr.at[..., states, states].set(1)


def target(state: Index, following: Float[Array, " S"], discount: Scalar) -> Float[Array, " S"]:
    """Return what row `state` should be, given the (expected) row that follows it."""
    arrived = jax.nn.one_hot(state, len(following), dtype=following.dtype)
    return arrived + discount * (1 - arrived) * following


def backup(
    fr: Float[Array, "*N S S"], chain: Float[Array, "*N S S"], discount: Scalar
) -> Float[Array, "*N S S"]:
    r"""Return the Bellman operator applied to an FR, $G F = I + \gamma (11^\top - I) \circ P F$.

    Def. 3.2, with the elementwise product $\circ$ that the printed formula lacks. It
    shrinks the largest difference in each column by $\gamma$ (Prop. 3.1, corrected), so
    repeating it from `initial` converges to `solve` (Prop. 3.2).
    """
    return apply_to_all(target, fr, chain, discount)


def td_step(
    fr: Float[Array, "S S"],
    state: Index,
    next_state: Index,
    *,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "S S"], Float[Array, " S"]]:
    """Update row `state` from one transition; return the new FR and the TD error."""
    following = following_row(fr, next_state, discount)
    return move_row(fr, state, target(state, following, discount), step_size)


def td_learn(
    fr: Float[Array, "*N S S"], states: Int[Array, "*N T"], *, discount: Scalar, step_size: Scalar
) -> tuple[Float[Array, "*N S S"], Float[Array, "*N T-1"]]:
    """Run `td_step` along a walk; return the FR and the L2 norm of each TD error.

    A stack of them learns along a stack of walks, each along its own.
    """
    return learn(target, fr, (states,), discount=discount, step_size=step_size)
