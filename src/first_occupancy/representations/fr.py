r"""The first-occupancy representation (FR): how soon a policy first reaches each state.

$$F^\pi(s, s') = \mathbb{E}_\pi[\gamma^{T(s')} \mid s_0 = s], \qquad
  T(s') = \min\{k \ge 0 : s_k = s'\}$$

(Def. 3.1, with $\gamma^\infty = 0$.) Every entry lies in [0, 1], and the diagonal is 1 because each
state is reached from itself at once. If policy and world are deterministic, $F(s, s') = \gamma^k$
with k the number of steps from s to s'.

Looking one step ahead gives a recursion: either s' is reached already, or it is reached from the
next state, at the cost of a factor $\gamma$,

$$F(s, s') = 1(s = s') + \gamma\,(1 - 1(s = s'))\ \mathbb{E}[F(s_1, s')].$$

The successor representation lacks the factor $1 - 1(s = s')$ and so counts later visits, too. The
FR is the λ-representation with a decay of 0: later visits do not count. The recursion is its
`target`, inherited from `LambdaRepresentation`; `backup` (Def. 3.2) applies it to all rows.
"""

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import check_share, is_known
from first_occupancy.representations._solvers.arrivals import columns
from first_occupancy.representations._solvers.first_passage import Rows, first_passage
from first_occupancy.representations._solvers.jumps import jump_chain
from first_occupancy.representations._solvers.sparse import (
    Chain,
    Chains,
    SparseChain,
    are_sparse,
    checked_columns,
    checked_rows,
)
from first_occupancy.representations.lambda_representation import LambdaRepresentation


class FirstOccupancyRepresentation(LambdaRepresentation):
    r"""How soon each state is first reached; use the instance `fo.first_occupancy`.

    `solve` divides the SR by its diagonal, $F(s, g) = M(s, g) / M(g, g)$: from the first visit to g
    on, the expected visits are those from g itself (strong Markov property).

    >>> corridor = jnp.array([[0.0, 1.0], [0.0, 1.0]])
    >>> first_occupancy.solve(corridor, discount=0.5).tolist()
    [[1.0, 0.5], [0.0, 1.0]]
    """

    name: ClassVar[str] = "first_occupancy"
    largest_entry: ClassVar[float | None] = 1.0
    decay: Scalar = eqx.field(static=True)

    def __init__(self):
        self.decay = 0.0

    @property
    def parameters(self) -> dict[str, float]:
        """Empty: the decay is always 0."""
        return {}

    @check_arguments
    def solve(self, chain: Chains, *, discount: Scalar) -> Float[Array, "*N S S"]:
        """Return the exact FR of a Markov chain, or of each chain of a stack.

        With a discount of 1 it is the probability to ever reach each state: exactly 0 where no
        path leads there, and exactly 1 where the chain cannot miss it.

        Args:
            chain: transition matrix of the Markov chain, as `fo.chain(world, policy)` returns it,
                or a stack of them; or one SciPy sparse matrix, or a list of them.
            discount: discount factor per step, from 0 to 1. It must be below 1 inside `jit`.
        """
        if not are_sparse(chain) and is_known(chain, discount) and np.array_equal(discount, 1):
            return jnp.asarray(_undiscounted(chain))
        return super().solve(chain, discount=discount)

    @check_arguments
    def solve_columns(
        self, chain: Chain, goals: Int[np.ndarray, " G"], *, discount: float
    ) -> Float[np.ndarray, "S G"]:
        """Return the columns of the exact FR for some goals, as accurately as `solve`.

        Args:
            chain: transition matrix of the Markov chain, dense or sparse.
            goals: states whose columns are returned, at least one.
            discount: discount factor per step, from 0 to 1.
        """
        check_share("solve_columns", "discount", discount)
        rows = checked_columns("solve_columns", chain, goals, discount)
        found = columns(jump_chain(rows * discount, 1 - discount), np.asarray(goals))
        return np.stack(list(found), axis=1)

    @check_arguments
    def from_visits(self, visits: Float[Array, "*N S S"]) -> Float[Array, "*N S S"]:
        """Return the FR that corresponds to an SR, M(s, g) / M(g, g).

        Args:
            visits: the SR of the same chain and discount.
        """
        # XLA divides by multiplying with the reciprocal, which may miss 1 by a rounding error.
        return _with_diagonal_of_one(super().from_visits(visits))


@jax.jit  # Outside `jit`, setting entries takes longer than solving a small chain.
def _with_diagonal_of_one(table: Float[Array, "*N S S"]) -> Float[Array, "*N S S"]:
    states = jnp.arange(table.shape[-1])
    return table.at[..., states, states].set(1)


def _undiscounted(chain: Array | np.ndarray | SparseChain) -> Float[np.ndarray, "*N S S"]:
    if not isinstance(chain, SparseChain) and np.ndim(chain) > 2:
        return np.stack([_undiscounted(each) for each in np.asarray(chain)])
    jumps = jump_chain(checked_rows("solve", chain))
    return first_passage(Rows(jumps.moves.toarray(), jumps.losses))[0]


first_occupancy = FirstOccupancyRepresentation()
