"""The max-plus products of `max_plus.py` as GPU kernels.

Matrix units add products and cannot take maxima, so these products run on the ordinary adders.
Compiled by XLA, they spend most of their time on loads. Here a tile of the result stays in
registers, and every number loaded is used for a whole row or column of it.

The kernels are lowered for GPUs only; `interpret=True` runs them slowly on any device, for tests.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import starmap
from operator import add
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Float32, Int, Shaped

from first_occupancy.core.axes import Index


class Tile(NamedTuple):
    """The part of the result that one program keeps in the registers of `warps` warps."""

    rows: int
    columns: int
    warps: int


TILE = Tile(rows=64, columns=64, warps=1)
"""128 numbers per thread. The fastest tile for products of those we tried, though wider ones load
less: `benchmarks/gpu_products.py` has the rates of other tiles and of other inner loops."""

SEARCH_TILE = Tile(rows=32, columns=64, warps=1)
"""A search keeps the bounds beside the results, so only half as many fit into a thread: 2.2 times
as fast as `TILE` on an H200."""

STEP = 8
"""Steps of the inner index per iteration of the loop."""


@partial(jax.jit, static_argnames=("tile", "interpret"))
def accumulate(
    table: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    *,
    tile: Tile = TILE,
    interpret: bool = False,
) -> Float[Array, "I J"]:
    r"""Return the larger of `table` and $L \otimes R$."""
    return _accumulate(table, left, right, tile, interpret, by_bits=False)


@partial(jax.jit, static_argnames=("tile", "interpret"))
def accumulate_on_cuda(
    table: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    *,
    tile: Tile = TILE,
    interpret: bool = False,
) -> Float[Array, "I J"]:
    """Return the result of `accumulate` for numbers up to zero; larger ones count as zero.

    The bits of negative floats, read as integers, are in the opposite order, so the largest float
    has the smallest integer. Since Hopper there is one instruction for the minimum of three
    integers: with two additions it processes two pairs, which take two additions and two maxima in
    floating point. The rates are 13.6 against 10.9 x 10^12 pairs per second on an H200, with the
    same loads (`benchmarks/gpu_products.py`). Older devices use two minima.
    """
    if table.dtype != jnp.float32:
        return accumulate(table, left, right, tile=tile, interpret=interpret)
    left, right = _negative(left), _negative(right)
    return _accumulate(table, left, right, tile, interpret, by_bits=True)


def _accumulate(table, left, right, tile: Tile, interpret: bool, *, by_bits: bool):
    largest = _larger
    if by_bits:
        largest = _largest_by_bits if interpret else _largest_on_cuda

    def kernel(table, left, right, result):
        def step(number: Index, best: Array) -> Array:
            pairs = _pairs(left, right, [number * STEP + offset for offset in range(STEP)])
            for two in zip(pairs[::2], pairs[1::2], strict=True):
                best = largest(best, *two)
            return best

        begin = _negative(table[:, :]) if by_bits else table[:, :]
        end = jax.lax.fori_loop(0, left.shape[0] // STEP, step, begin)
        result[:, :] = jnp.where(end == 0, 0, end) if by_bits else end

    return _tiled(kernel, table.dtype, table, left, right, tile, interpret)


@partial(jax.jit, static_argnames=("tile", "interpret"))
def first_reaching(
    least: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    *,
    tile: Tile = SEARCH_TILE,
    interpret: bool = False,
) -> Int[Array, "I J"]:
    """Return the first k with L[i, k] + R[k, j] >= least[i, j], or K where there is none."""

    def kernel(least, left, right, result):
        needed = least[:, :]
        last = left.shape[0] - 1

        def step(number: Index, found: Array) -> Array:
            begin = jnp.int32(last) - jnp.asarray(number * STEP, jnp.int32)
            places = [begin - offset for offset in range(STEP)]
            for k, (down, across) in zip(places, _pairs(left, right, places), strict=True):
                found = jnp.where(down + across >= needed, k, found)
            return found

        none = jnp.full(needed.shape, last + 1, jnp.int32)
        result[:, :] = jax.lax.fori_loop(0, left.shape[0] // STEP, step, none)

    found = _tiled(kernel, jnp.int32, least, left, right, tile, interpret)
    return jnp.minimum(found, left.shape[1])


Pair = tuple[Float[Array, "rows 1"], Float[Array, "1 columns"]]


def _pairs(left, right, places: Sequence[Index]) -> list[Pair]:
    # All loads come before the first reshape to a column: that takes a barrier, and compilers move
    # no load across a barrier. A load takes hundreds of clock cycles.
    fetched = [(left[k, :], right[k, :]) for k in places]
    return [(down[:, None], across[None, :]) for down, across in fetched]


def _larger(best: Float[Array, "rows columns"], *pairs: Pair) -> Float[Array, "rows columns"]:
    for down, across in pairs:
        best = jnp.maximum(best, down + across)
    return best


def _largest_by_bits(
    best: Float32[Array, "rows columns"], *pairs: Pair
) -> Float32[Array, "rows columns"]:
    """Return the result of `_largest_on_cuda`, in plain JAX."""
    bits = [jax.lax.bitcast_convert_type(sums, jnp.int32) for sums in (best, *starmap(add, pairs))]
    return jax.lax.bitcast_convert_type(reduce(jnp.minimum, bits), jnp.float32)


LEAST_OF_THREE = """{
    .reg .f32 f, g;
    .reg .s32 best, first, second;
    add.f32 f, $2, $3;
    add.f32 g, $4, $5;
    mov.b32 best, $1;
    mov.b32 first, f;
    mov.b32 second, g;
    min.s32 best, best, first;
    min.s32 best, best, second;
    mov.b32 $0, best;
}"""
"""The minima are adjacent, or the assembler would not merge them into one of three operands."""


def _largest_on_cuda(
    best: Float32[Array, "rows columns"], *pairs: Pair
) -> Float32[Array, "rows columns"]:
    parts = [jnp.broadcast_to(part, best.shape) for pair in pairs for part in pair]
    (best,) = triton.elementwise_inline_asm(
        LEAST_OF_THREE,
        args=[best, *parts],
        constraints="=f,f,f,f,f,f",
        pack=1,
        result_shape_dtypes=[jax.ShapeDtypeStruct(best.shape, best.dtype)],
    )
    return best


def _negative(logs: Float32[Array, "I J"]) -> Float32[Array, "I J"]:
    """Return the logs cut at zero, with zero as -0.0, whose sign bit is set."""
    return jnp.where(logs >= 0, -0.0, logs)


def _tiled(
    kernel: Callable[..., None],
    dtype: DTypeLike,
    table: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    tile: Tile,
    interpret: bool,
) -> Shaped[Array, "I J"]:
    """Return the kernel's result for every tile; tables are padded to whole tiles."""
    height, across = table.shape
    rows, columns, warps = tile
    table = _padded(table, rows, columns)
    # Transposed, so that the numbers of one step are adjacent in memory.
    left = _padded(left.T, STEP, rows)
    right = _padded(right, STEP, columns)
    steps = left.shape[0]
    call = pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(table.shape, dtype),
        grid=(table.shape[0] // rows, table.shape[1] // columns),
        in_specs=[
            pl.BlockSpec((rows, columns), lambda i, j: (i, j)),
            pl.BlockSpec((steps, rows), lambda i, j: (0, i)),
            pl.BlockSpec((steps, columns), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((rows, columns), lambda i, j: (i, j)),
        compiler_params=triton.CompilerParams(num_warps=warps, num_stages=1),
        interpret=interpret,
    )
    return call(table, left, right)[:height, :across]


def _padded(table: Float[Array, "I J"], rows: int, columns: int) -> Float[Array, "_ _"]:
    height, width = table.shape
    return jnp.pad(table, ((0, -height % rows), (0, -width % columns)), constant_values=-jnp.inf)
