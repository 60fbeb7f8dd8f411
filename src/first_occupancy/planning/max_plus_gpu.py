"""The max-plus products of `max_plus.py` as GPU kernels.

A matrix unit adds products and cannot take maxima, so these run on the ordinary adders, and
the compiler's own program spends its time fetching instead. Here a tile of the result
stays in registers, and every number fetched is used for a whole row or column of it.

They are lowered for GPUs only; `interpret=True` runs them slowly anywhere, to test them.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int, Shaped

from first_occupancy.core.axes import Index

ROWS, COLUMNS, WARPS = 64, 64, 1
"""The tile of the result that one program keeps: 128 numbers in each of its threads."""

STEP = 8
"""Steps of the inner index between two tests whether all are done."""


@partial(jax.jit, static_argnames="interpret")
def accumulate(
    table: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    *,
    interpret: bool = False,
) -> Float[Array, "I J"]:
    r"""Return the larger of `table` and $L \otimes R$."""

    def kernel(table, left, right, result):
        def step(number: Index, best: Array) -> Array:
            for k in range(STEP):
                best = jnp.maximum(best, _joined(left, right, number * STEP + k))
            return best

        steps = left.shape[0] // STEP
        result[...] = jax.lax.fori_loop(0, steps, step, table[...])

    return _tiled(kernel, table.dtype, table, left, right, interpret)


@partial(jax.jit, static_argnames="interpret")
def first_reaching(
    least: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    *,
    interpret: bool = False,
) -> Int[Array, "I J"]:
    """Return the first k with L[i, k] + R[k, j] >= least[i, j], or K where there is none."""

    def kernel(least, left, right, result):
        needed = least[...]
        last = left.shape[0] - 1

        def step(number: Index, found: Array) -> Array:
            for offset in range(STEP):
                k = jnp.int32(last) - jnp.asarray(number * STEP + offset, jnp.int32)
                found = jnp.where(_joined(left, right, k) >= needed, k, found)
            return found

        none = jnp.full(needed.shape, last + 1, jnp.int32)
        result[...] = jax.lax.fori_loop(0, left.shape[0] // STEP, step, none)

    found = _tiled(kernel, jnp.int32, least, left, right, interpret)
    return jnp.minimum(found, left.shape[1])


def _joined(left, right, k: Index) -> Float[Array, "rows columns"]:
    return left[k, :][:, None] + right[k, :][None, :]


def _tiled(
    kernel: Callable[..., None],
    dtype: DTypeLike,
    table: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    interpret: bool,
) -> Shaped[Array, "I J"]:
    """Return the kernel's result for every tile, with whatever a whole tile lacks added."""
    height, width = table.shape
    table = _padded(table, ROWS, COLUMNS)
    # Turned, so that the numbers one step needs lie side by side.
    left = _padded(left.T, STEP, ROWS)
    right = _padded(right, STEP, COLUMNS)
    rows, columns, steps = *table.shape, left.shape[0]
    call = pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(table.shape, dtype),
        grid=(rows // ROWS, columns // COLUMNS),
        in_specs=[
            pl.BlockSpec((ROWS, COLUMNS), lambda i, j: (i, j)),
            pl.BlockSpec((steps, ROWS), lambda i, j: (0, i)),
            pl.BlockSpec((steps, COLUMNS), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((ROWS, COLUMNS), lambda i, j: (i, j)),
        compiler_params=triton.CompilerParams(num_warps=WARPS, num_stages=1),
        interpret=interpret,
    )
    return call(table, left, right)[:height, :width]


def _padded(table: Float[Array, "I J"], rows: int, columns: int) -> Float[Array, "_ _"]:
    height, width = table.shape
    return jnp.pad(table, ((0, -height % rows), (0, -width % columns)), constant_values=-jnp.inf)
