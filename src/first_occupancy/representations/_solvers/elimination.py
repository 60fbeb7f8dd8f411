r"""Sums of powers of a non-negative matrix, without subtraction: $(I-A)^{-1} = \sum_k A^k$.

States are eliminated one after the other. Eliminating a set of states K from a chain turns paths
through K into direct transitions, and only adds terms of one sign:

$$W = (I - A_{KK})^{-1}, \qquad A \leftarrow A + A_{\cdot K}\, W\, A_{K \cdot}$$

for all rows and columns outside K; the rows of K become $W A_{K \cdot}$, its columns
$A_{\cdot K} W$, and $A_{KK}$ becomes W. When all states are eliminated, A is the sum. This is
in-place Gauss-Jordan elimination of a matrix that needs no pivoting (an M-matrix; see Alfa, Xue &
Ye 2002).

The pivot of a single state is $1 - a$, with a the probability of returning at once. It is not
computed by that subtraction, which would lose digits where a is near 1: what does not return
leaves, so the pivot is the sum of what leads to states that are not yet eliminated, and of the
*exit*, the probability of ending (Grassmann, Taksar & Heyman 1985). Exits grow by what ends on the
way through eliminated states, $e \leftarrow e + A_{\cdot K}\, W e_K$. So the diagonal of A is never
read: it is what makes each row and its exit sum to 1.

Nothing cancels, so entries of 1e-70 are as accurate as entries of 1, and zeros are exact, also at
discounts near 1 and in states that are rarely left. A general linear solver exchanges rows and
leaves noise near 1e-16 in place of small entries.

Entries near the smallest float would still lose digits, because paths that contribute to them
underflow. Sums are at most $1 / (1 - \gamma)$, so the large half of the floats is unused: all
matrices are multiplied by a power of two (`SCALES`), and every product divided by it.

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

SCALES = {4: 2.0**32, 8: 2.0**400}
"""Factor of all matrices during elimination, by the bytes of a float: a product of two scaled sums
must not overflow, at any discount below 1."""

Inverse = Callable[[Float[Array, "*N K K"], Float[Array, "*N K"]], Float[Array, "*N K K"]]

# "highest" because a GPU would otherwise round the factors to 10 bits.
_multiply = partial(jnp.matmul, precision="highest")


@jax.custom_jvp
@jax.jit
def sum_of_powers(
    matrix: Float[Array, "*N S S"], exits: Float[Array, "*N S"]
) -> Float[Array, "*N S S"]:
    r"""Return $\sum_k A^k$ of a non-negative matrix whose rows, with their exits, sum to 1.

    Exits are above 0: $1 - \gamma$ for a discounted chain. The diagonal of A is not read.
    """
    eliminate = _one_state
    for block in reversed(BLOCKS):
        if block < matrix.shape[-1]:
            eliminate = partial(_in_blocks, block=block, invert=eliminate)
    scale = _scale(matrix)
    return eliminate(matrix * scale, exits * scale) / scale


def padded_size(size: int) -> int:
    """Return the number of states in memory while a chain of `size` states is eliminated."""
    return next((size + -size % block for block in BLOCKS if block < size), size)


def _one_state(
    matrix: Float[Array, "*N K K"], exits: Float[Array, "*N K"]
) -> Float[Array, "*N K K"]:
    def invert(state: Float[Array, "*N 1 1"], leaving: Float[Array, "*N 1"]) -> Array:
        return _scale(state) ** 2 / leaving[..., None]

    return _in_blocks(matrix, exits, block=1, invert=invert)


def _scale(matrix: Float[Array, "..."]) -> Array:
    return jnp.asarray(SCALES[matrix.dtype.itemsize], matrix.dtype)


def _in_blocks(
    matrix: Float[Array, "*N S S"], exits: Float[Array, "*N S"], *, block: int, invert: Inverse
) -> Float[Array, "*N S S"]:
    """Return the scaled sum of powers of a scaled matrix, `block` states at a time."""
    size = matrix.shape[-1]
    # The last block is padded with isolated states, which end at once.
    beyond = (0, -size % block)
    outer = [(0, 0)] * (matrix.ndim - 2)
    padded = jnp.pad(matrix, [*outer, beyond, beyond])
    ending = jnp.pad(exits, [*outer, beyond], constant_values=_scale(matrix))

    def advance(step: Array, rows: Array) -> Array:
        return _eliminate(rows, step * block, block, invert)

    steps = padded.shape[-1] // block
    # Exits are a last column, so that the products below take them along.
    rows = jnp.concatenate([padded, ending[..., None]], axis=-1)
    return jax.lax.fori_loop(0, steps, advance, rows)[..., :size, :size]


def _eliminate(
    matrix: Float[Array, "*N S T"], first: Array, block: int, invert: Inverse
) -> Float[Array, "*N S T"]:
    """Return scaled rows, exits last, with `block` states eliminated, from state `first` on."""
    scale = _scale(matrix)
    cut = partial(jax.lax.dynamic_slice_in_dim, start_index=first, slice_size=block)
    paste = partial(jax.lax.dynamic_update_slice_in_dim, start_index=first)
    columns, given = cut(matrix, axis=-1), cut(matrix, axis=-2)
    later = jnp.arange(matrix.shape[-1]) >= first + block
    leaving = jnp.where(later, given, 0).sum(axis=-1)
    visits = invert(cut(columns, axis=-2), leaving)
    rows = _multiply(visits, given) / scale
    others = paste(columns, jnp.zeros_like(visits), axis=-2)
    grown = paste(matrix + _multiply(others, rows) / scale, rows, axis=-2)
    through = _multiply(others, visits) / scale
    return paste(grown, paste(through, visits, axis=-2), axis=-1)


def _derivative(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    r"""Return the sum and its derivative $dM = M\, dA\, M$, cheaper than through the loops.

    Exits are what rows lack of 1, so they have no derivative of their own.
    """
    total = sum_of_powers(*primals)
    return total, _multiply(total, _multiply(tangents[0], total))


sum_of_powers.defjvp(_derivative)  # pyrefly: ignore[bad-argument-type]
