r"""Least squares whose answer does not depend on how much data there is.

A log may have millions of rows, and single precision has seven digits. Ordinary least squares then
loses weights that the data determine well. This module avoids three causes:

- *Long sums.* A float32 sum of ones, added one by one, stops growing at $2^{24}$. Rows are
  therefore reduced in blocks, and the results again in blocks or in pairs.
- *A cutoff that grows with the number of rows.* The usual rank test treats singular values below
  $T \epsilon$ times the largest as zero. Here the T rows are first reduced to D by QR, and the
  cutoff is a constant number of roundings.
- *Visit counts.* A feature seen once beside one seen a million times looks like a direction of
  small variance. Each column is therefore divided by the square root of its *effective number of
  visits* $n_j = \sum_t x_{tj}^2 / \max_t x_{tj}^2$. For a feature that is 0 or 1 this is how often
  it is 1. Only the size of the feature itself then decides what is cut off.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import sequential_vmap
from jaxtyping import Array, Float

from first_occupancy.core.axes import Index, Scalar

ROUNDINGS = 64
"""Singular values below this many roundings of the largest count as zero. For exactly dependent
columns we measured at most 3 roundings (float32, 2 to 1,500 columns, up to a million rows)."""

BLOCK = 256
"""Rows per block, or four times the number of columns if that is more."""

# "highest" because a GPU would otherwise round the factors to 10 bits.
_multiply = partial(jnp.matmul, precision="highest")


def _one_by_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a matrix factorisation that `vmap` applies to one matrix after the other.

    On a CPU, jaxlib 0.10.2 spreads a batch of matrices over XLA's thread pool and waits. Inside a
    loop, which runs on a thread of the same pool, we saw this deadlock.
    """
    alone = jax.custom_jvp(sequential_vmap(function))
    alone.defjvp(lambda primals, tangents: jax.jvp(function, primals, tangents))
    return alone


_qr = _one_by_one(lambda matrix: tuple(jnp.linalg.qr(matrix)))
_svd = _one_by_one(lambda matrix: tuple(jnp.linalg.svd(matrix, full_matrices=False)))


@jax.jit
def fit(
    rows: Float[Array, "T D"], targets: Float[Array, " T"], ridge: Scalar = 0.0
) -> Float[Array, " D"]:
    r"""Return the shortest weights of those that minimise $|A w - b|^2 + \rho\, |w|^2$.

    Args:
        rows: $A$, one row per observation.
        targets: $b$.
        ridge: $\rho$.

    Returns:
        The weights $w$; exactly 0 for columns that are 0 throughout.
    """
    triangle, heads = _reduce(rows, targets)
    size = rows.shape[1]
    penalty = jnp.sqrt(jnp.asarray(ridge, triangle.dtype)) * jnp.eye(size, dtype=triangle.dtype)
    system = jnp.concatenate([triangle, penalty])
    wanted = jnp.concatenate([heads, jnp.zeros(size, heads.dtype)])
    weights = shortest_solution(system, wanted, root_visits(rows))
    return jnp.where((triangle != 0).any(axis=0), weights, 0)


def shortest_solution(
    matrix: Float[Array, "M D"], targets: Float[Array, " M"], scale: Float[Array, " D"]
) -> Float[Array, " D"]:
    r"""Return the shortest weights of those that minimise $|A w - b|$, for at least D rows.

    Let $S$ be the diagonal matrix of `scale`. Singular values of $A S^{-1}$ decide the rank. The
    pseudo-inverse of $A S^{-1}$ gives the $w$ with the shortest $S w$; removing its component in
    the null space of $A$, which is $S^{-1}$ times that of $A S^{-1}$, gives the shortest $w$. It is
    exactly 0 for columns that are 0 throughout.
    """
    # In exact arithmetic the answer does not depend on the scale.
    scale = jax.lax.stop_gradient(scale)
    left, sizes, right = _svd(matrix / scale[None])
    kept = sizes > ROUNDINGS * jnp.finfo(sizes.dtype).eps * sizes[0]

    def fitted(wanted: Float[Array, " M"]) -> Float[Array, " D"]:
        along = _multiply(left.T, wanted) / jnp.where(kept, sizes, 1)
        return _multiply(right.T, jnp.where(kept, along, 0)) / scale

    # Bases of the row space and of the null space of A, orthogonal to each other.
    spaces = jnp.where(kept[:, None], right * scale[None], right / scale[None])
    # The null space comes first, because QR preserves the span of leading columns.
    directions, _ = _qr(spaces[::-1].T)
    weights = fitted(targets)
    undetermined = jnp.where(kept[::-1], 0, _multiply(directions.T, weights))
    weights = weights - _multiply(directions, undetermined)
    # One step of iterative refinement, mostly for the rounding of the projection.
    weights = weights + fitted(targets - _multiply(matrix, weights))
    return jnp.where((matrix != 0).any(axis=0), weights, 0)


def root_visits(rows: Float[Array, "T D"]) -> Float[Array, " D"]:
    """Return the square root of each column's effective number of visits, 1 for a column of 0."""
    largest = jnp.abs(rows).max(axis=0)
    shares = jnp.where(largest > 0, largest, 1)

    def visits(block: Float[Array, "B D"]) -> Float[Array, " D"]:
        return jnp.square(block / shares[None]).sum(axis=0)

    return jnp.where(largest > 0, jnp.sqrt(_add_up(visits, rows)), 1)


def sum_of_products(left: Float[Array, "T K"], right: Float[Array, "T D"]) -> Float[Array, "K D"]:
    r"""Return $L^\top R$, summed in blocks of rows and then in pairs of blocks."""
    return _add_up(lambda left, right: _multiply(left.T, right), left, right)


def _add_up(function: Callable[..., Array], *arrays: Float[Array, "T _"]) -> Array:
    """Return the sum of `function` over blocks of rows."""
    block = _block(arrays[0])
    if len(arrays[0]) < block:
        return function(*arrays)
    parts = _of_blocks(function, block, *arrays)
    rest = function(*(array[len(parts) * block :] for array in arrays))
    while len(parts) > 1:
        odd = parts[len(parts) - len(parts) % 2 :]
        parts = jnp.concatenate([parts[:-1:2] + parts[1::2], odd])
    return parts[0] + rest


def _reduce(
    rows: Float[Array, "T D"], targets: Float[Array, " T"]
) -> tuple[Float[Array, "D D"], Float[Array, " D"]]:
    r"""Return D rows and targets with the same least squares solutions, by QR of blocks.

    With $A = Q R$, $|A w - b|^2$ is $|R w - Q^\top b|^2$ plus a constant.
    """
    block, size = _block(rows), rows.shape[1]
    while len(rows) > block:
        triangles, heads = _of_blocks(_triangle, block, rows, targets)
        rest = len(triangles) * block
        rows = jnp.concatenate([triangles.reshape(-1, size), rows[rest:]])
        targets = jnp.concatenate([heads.reshape(-1), targets[rest:]])
    triangle, heads = _triangle(rows, targets)
    missing = size - len(triangle)
    return jnp.pad(triangle, ((0, missing), (0, 0))), jnp.pad(heads, (0, missing))


def _triangle(
    rows: Float[Array, "T D"], targets: Float[Array, " T"]
) -> tuple[Float[Array, "R D"], Float[Array, " R"]]:
    directions, triangle = _qr(rows)
    return triangle, _multiply(directions.T, targets)


def _block(rows: Float[Array, "T D"]) -> int:
    return max(BLOCK, 4 * rows.shape[1])


def _of_blocks(function: Callable[..., Any], block: int, *arrays: Float[Array, "T ..."]) -> Any:
    """Return `function` of every whole block of rows, stacked."""

    def of(number: Index) -> Any:
        start = number * block
        return function(*(jax.lax.dynamic_slice_in_dim(each, start, block) for each in arrays))

    return jax.lax.map(of, jnp.arange(len(arrays[0]) // block))
