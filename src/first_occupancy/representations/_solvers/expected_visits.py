"""The expected discounted visits of a chain to each of its states: the SR, with checked input."""

import math

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.sparse import csr_array

from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import (
    InputError,
    check_discount,
    check_probabilities,
    check_shape,
    warn_of_discount,
)
from first_occupancy.core.mdp import MDP, floats
from first_occupancy.core.memory import check_fits
from first_occupancy.representations._solvers.elimination import padded_size, sum_of_powers
from first_occupancy.representations._solvers.sparse import SparseChain, check_shrinks, visits_to


def expected_visits(
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
