r"""Sums of powers of a non-negative matrix, almost without subtraction: $(I-A)^{-1} = \sum_k A^k$.

States are eliminated one after the other. Eliminating a set of states K from a chain turns paths
through K into direct transitions, and only adds terms of one sign:

$$W = (I - A_{KK})^{-1}, \qquad A \leftarrow A + A_{\cdot K}\, W\, A_{K \cdot}$$

for all rows and columns outside K; the rows of K become $W A_{K \cdot}$, its columns
$A_{\cdot K} W$, and $A_{KK}$ becomes W. When all states are eliminated, A is the sum. This is
in-place Gauss-Jordan elimination of a matrix that needs no pivoting (an M-matrix; see Alfa, Xue &
Ye 2002).

Nothing cancels, so entries of 1e-70 are as accurate as entries of 1, and zeros are exact. A general
linear solver exchanges rows and leaves noise near 1e-16 in place of them. The only subtraction is
1 - a for a single state, which costs accuracy as the discount approaches 1: errors grow as
$1 / (1 - \gamma)$, as do those of the exact solution when the chain is rounded.

States are eliminated in blocks, with W computed in the same way, so that nearly all of the $2 S^3$
operations are matrix products.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

BLOCKS = (256, 32)
"""Sizes of nested blocks of states, from large to small: fast on a CPU and a GPU."""

Inverse = Callable[[Float[Array, "*N K K"]], Float[Array, "*N K K"]]

# "highest" because a GPU would otherwise round the factors to 10 bits.
_multiply = partial(jnp.matmul, precision="highest")


@jax.custom_jvp
@jax.jit
def sum_of_powers(matrix: Float[Array, "*N S S"]) -> Float[Array, "*N S S"]:
    r"""Return $\sum_k A^k$ of a non-negative matrix whose rows sum to less than 1."""
    eliminate = _one_state
    for block in reversed(BLOCKS):
        if block < matrix.shape[-1]:
            eliminate = partial(_in_blocks, block=block, invert=eliminate)
    return eliminate(matrix)


def _one_state(matrix: Float[Array, "*N K K"]) -> Float[Array, "*N K K"]:
    return _in_blocks(matrix, block=1, invert=lambda returns: 1 / (1 - returns))


def _in_blocks(
    matrix: Float[Array, "*N S S"], *, block: int, invert: Inverse
) -> Float[Array, "*N S S"]:
    """Return the sum of powers, eliminating `block` states at a time."""
    size = matrix.shape[-1]
    # The last block is padded with isolated states, without transitions.
    padding = [(0, 0)] * (matrix.ndim - 2) + [(0, -size % block)] * 2
    padded = jnp.pad(matrix, padding)

    def advance(step: Array, matrix: Float[Array, "*N S S"]) -> Float[Array, "*N S S"]:
        return _eliminate(matrix, step * block, block, invert)

    return jax.lax.fori_loop(0, padded.shape[-1] // block, advance, padded)[..., :size, :size]


def _eliminate(
    matrix: Float[Array, "*N S S"], first: Array, block: int, invert: Inverse
) -> Float[Array, "*N S S"]:
    """Return the matrix with `block` states eliminated, from state `first` on."""
    cut = partial(jax.lax.dynamic_slice_in_dim, start_index=first, slice_size=block)
    paste = partial(jax.lax.dynamic_update_slice_in_dim, start_index=first)
    columns = cut(matrix, axis=-1)
    visits = invert(cut(columns, axis=-2))
    rows = _multiply(visits, cut(matrix, axis=-2))
    others = paste(columns, jnp.zeros_like(visits), axis=-2)
    grown = paste(matrix + _multiply(others, rows), rows, axis=-2)
    return paste(grown, paste(_multiply(others, visits), visits, axis=-2), axis=-1)


def _derivative(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    r"""Return the sum and its derivative $dM = M\, dA\, M$, cheaper than through the loops."""
    total = sum_of_powers(*primals)
    return total, _multiply(total, _multiply(tangents[0], total))


sum_of_powers.defjvp(_derivative)  # pyrefly: ignore[bad-argument-type]
