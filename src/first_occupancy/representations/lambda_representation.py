r"""The λ-representation: each visit to a state counts `decay` times the one before.

$$\Lambda(s, s') = \mathbb{E}_\pi\Big[\sum_{k \ge 0} \lambda^{n_k(s')} \gamma^k\, 1(s_k = s')
  \,\Big|\, s_0 = s\Big], \qquad n_k(s') = \#\{j < k : s_j = s'\}$$

A decay $\lambda$ of 0 gives the FR (`fr`) and 1 the SR (`sr`). Decays in between suit diminishing
rewards, such as those of a berry bush. The representation is from the authors' later work
(Moskovitz et al. 2023, "A state representation for diminishing rewards").
"""

import math
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import (
    InputError,
    check_discount,
    check_probabilities,
    check_shape,
    check_share,
    warn_of_discount,
)
from first_occupancy.core.mdp import MDP, floats
from first_occupancy.core.memory import check_fits
from first_occupancy.representations._solvers.elimination import padded_size, sum_of_powers
from first_occupancy.representations._solvers.sparse import (
    Chain,
    Chains,
    SparseChain,
    are_sparse,
    check_shrinks,
    visits_to,
)
from first_occupancy.representations.representation import Representation

_Visits = Float[Array, "*B"] | Float[np.ndarray, "*B"]


class LambdaRepresentation(Representation):
    """The λ-representation with a given decay.

    >>> import jax.numpy as jnp
    >>> LambdaRepresentation(0.5).solve(jnp.ones((1, 1)), discount=0.5).tolist()
    [[1.3333333333333333]]

    Args:
        decay: how much each visit counts relative to the one before, from 0 (FR) to 1 (SR).
    """

    name: ClassVar[str] = "lambda_representation"
    decay: Scalar

    def __check_init__(self) -> None:
        """Raise unless the decay lies in [0, 1]."""
        check_share(type(self).__name__, "decay", self.decay)

    @property
    def parameters(self) -> dict[str, float]:
        """The decay, as a Python float."""
        return {"decay": float(np.asarray(self.decay))}

    def target(
        self, state: Index, following: Float[Array, " S"], *, discount: Scalar
    ) -> Float[Array, " S"]:
        r"""Return the target of row `state`, given the (expected) row of the next state.

        $1(s = s') + \gamma\,(1 - (1 - \lambda)\,1(s = s'))\,\mathrm{following}(s')$: after this
        visit to s, later visits count $\lambda$ times as much.

        Args:
            state: state that the row belongs to.
            following: row of the next state, or its expectation over next states.
            discount: discount factor per step, from 0 to 1 (exclusive).
        """
        here = jax.nn.one_hot(state, len(following), dtype=following.dtype)
        return here + discount * (1 - (1 - self.decay) * here) * following

    @check_arguments
    def solve(self, chain: Chains, *, discount: Scalar) -> Float[Array, "*N S S"]:
        r"""Return the exact table of a Markov chain, or of each chain of a stack.

        With F the FR, M the SR and $R(g) = 1 - 1 / M(g, g)$ the expected discount at the first
        return to g,

        $$\Lambda(s, g) = F(s, g)\,(1 + \lambda R + \lambda^2 R^2 + \dots)
          = \frac{M(s, g)}{(1 - \lambda)\, M(g, g) + \lambda}.$$

        M is computed by adding non-negative terms only, so entries of 1e-30 are as accurate as
        entries of 1, and entries of unreachable states are exactly 0.

        Args:
            chain: transition matrix of the Markov chain, as `fo.chain(world, policy)` returns it,
                or a stack of them; or one SciPy sparse matrix, or a list of them.
            discount: discount factor per step, from 0 to 1 (exclusive).
        """
        if are_sparse(chain):
            return jnp.stack([self.solve(each, discount=discount) for each in chain])
        return self.from_visits(_expected_visits(chain, discount=discount))

    @check_arguments
    def solve_columns(
        self, chain: Chain, goals: Int[np.ndarray, " G"], *, discount: float
    ) -> Float[np.ndarray, "S G"]:
        """Return the columns of the exact table for some goals, as accurately as `solve`.

        For sparse chains that are too large for `solve`.

        Args:
            chain: transition matrix of the Markov chain, dense or sparse.
            goals: states whose columns are returned, at least one.
            discount: discount factor per step, from 0 to 1 (exclusive).
        """
        visits = visits_to(chain, goals, discount)
        own = visits[np.asarray(goals), np.arange(visits.shape[1])]
        return visits / self._divisor(own)

    @check_arguments
    def from_visits(self, visits: Float[Array, "*N S S"]) -> Float[Array, "*N S S"]:
        """Return the table that corresponds to an SR, by one division.

        Args:
            visits: the SR of the same chain and discount.
        """
        return visits / self._divisor(own_visits(visits))

    def _divisor(self, own: _Visits) -> _Visits:
        return (1 - self.decay) * own + self.decay


def _expected_visits(
    chain: Float[Array, "*N S S"] | SparseChain, *, discount: Scalar
) -> Float[Array, "*N S S"]:
    r"""Return $\sum_k (\gamma P)^k$ of a chain, of each chain of a stack, or of a sparse chain."""
    if isinstance(chain, SparseChain):
        rows = csr_array(chain)
        _check_memory(4 * math.prod(rows.shape))
        columns = visits_to(rows, np.arange(rows.shape[0]), float(np.asarray(discount)))
        return jnp.asarray(columns)
    if isinstance(chain, MDP) or hasattr(chain, "mdp"):
        raise InputError(
            f"solve: needs a Markov chain, got {type(chain).__name__}; make one with "
            "fo.chain(world, policy)"
        )
    check_discount("solve", discount)
    check_shape("solve", "chain", chain, "*N S S")
    *many, size = np.shape(chain)[:-1]
    _check_memory(5.2 * math.prod(many) * padded_size(size) ** 2)
    check_probabilities("solve", "chain", chain, ("state",))
    check_shrinks("solve", chain, discount)
    rows = floats(chain)
    warn_of_discount("solve", discount, rows.dtype)
    factor = jnp.asarray(discount, rows.dtype)
    # Exact for discounts of at least a half; the rows themselves need not sum to 1 exactly.
    exits = jnp.broadcast_to(1 - factor, rows.shape[:-1])
    return sum_of_powers(factor * rows, exits)


def own_visits(visits: Float[Array, "*N S S"]) -> Float[Array, "*N 1 S"]:
    """Return M(g, g) of every state g, as a row to divide columns by."""
    return jnp.diagonal(visits, axis1=-2, axis2=-1)[..., None, :]


def _check_memory(count: int | float) -> None:
    """Raise unless so many numbers fit in memory; `tests/core/test_memory` measures them."""
    needed = math.ceil(count * jnp.result_type(float).itemsize)
    check_fits("solve", needed, instead="solve_columns, or plan_paths for deterministic policies,")
