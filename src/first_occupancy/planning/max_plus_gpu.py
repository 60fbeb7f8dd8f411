"""The max-plus products of `max_plus.py` as GPU kernels.

A matrix unit adds products and cannot take maxima, so these run on the ordinary adders, and
the compiler's own program spends its time fetching instead. Here a tile of the result
stays in registers, and every number fetched is used for a whole row or column of it.

They are lowered for GPUs only; `interpret=True` runs them slowly anywhere, to test them.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int, Shaped

from first_occupancy.core.axes import Index


class Tile(NamedTuple):
    """The part of the result that one program keeps: blocks of columns side by side.

    A thread has four neighbouring columns of each block, and rows of its own; several blocks
    make what it has less long and narrow, and so what it fetches less.
    """

    rows: int
    columns: int
    blocks: int
    warps: int

    @property
    def width(self) -> int:
        """Columns of all blocks."""
        return self.columns * self.blocks

    @property
    def parts(self) -> list[slice]:
        """Where each block lies."""
        starts = range(0, self.width, self.columns)
        return [slice(start, start + self.columns) for start in starts]


TILE = Tile(rows=64, columns=64, blocks=1, warps=1)
"""128 numbers in each thread. On an H200, products of 8,192 x 8,192, in 10^12 pairs a second:

    this                                9.7    8.0 to 8.5 times XLA's broadcast and reduce
    2 blocks, 4 warps                   8.9
    4 blocks, 4 warps, STEP 8 and 4     6.8 and 7.4
    1 block of 128 columns, 4 warps     6.1
    16 x 4 blocks, 1 warp               6.4

A pair takes an addition, 128 a clock on each of 132 processors, and a maximum, 64 by the rates we
know of: at 1.98 GHz that would allow 16.7, and with fetches, 33 for 128 pairs, 14.8. No profile was
taken. Wider tiles fetch less; that they are slower may be because they then go through shared
memory. To keep maxima as integers' minima changes nothing.

A search keeps what is needed beside what is found, and that does not fit into a thread's registers:
7.6 instructions a pair in what ptxas 12.9 makes of it, 3.4 with 32 rows. That has not been run.
"""

STEP = 8
"""Steps of the inner index between two tests whether all are done."""


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

    def kernel(table, left, right, result):
        def step(number: Index, bests: tuple[Array, ...]) -> tuple[Array, ...]:
            for offset in range(STEP):
                joined = _joined(left, right, number * STEP + offset, tile)
                bests = tuple(map(jnp.maximum, bests, joined))
            return bests

        begin = tuple(table[:, part] for part in tile.parts)
        ends = jax.lax.fori_loop(0, left.shape[0] // STEP, step, begin)
        for part, end in zip(tile.parts, ends, strict=True):
            result[:, part] = end

    return _tiled(kernel, table.dtype, table, left, right, tile, interpret)


@partial(jax.jit, static_argnames=("tile", "interpret"))
def first_reaching(
    least: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    *,
    tile: Tile = TILE,
    interpret: bool = False,
) -> Int[Array, "I J"]:
    """Return the first k with L[i, k] + R[k, j] >= least[i, j], or K where there is none."""

    def kernel(least, left, right, result):
        needed = [least[:, part] for part in tile.parts]
        last = left.shape[0] - 1

        def step(number: Index, found: tuple[Array, ...]) -> tuple[Array, ...]:
            for offset in range(STEP):
                k = jnp.int32(last) - jnp.asarray(number * STEP + offset, jnp.int32)
                joined = _joined(left, right, k, tile)
                found = tuple(
                    jnp.where(sums >= enough, k, later)
                    for sums, enough, later in zip(joined, needed, found, strict=True)
                )
            return found

        none = tuple(jnp.full(enough.shape, last + 1, jnp.int32) for enough in needed)
        ends = jax.lax.fori_loop(0, left.shape[0] // STEP, step, none)
        for part, end in zip(tile.parts, ends, strict=True):
            result[:, part] = end

    found = _tiled(kernel, jnp.int32, least, left, right, tile, interpret)
    return jnp.minimum(found, left.shape[1])


def _joined(left, right, k: Index, tile: Tile) -> list[Float[Array, "rows columns"]]:
    down = left[k, :][:, None]
    return [down + right[k, part][None, :] for part in tile.parts]


def _tiled(
    kernel: Callable[..., None],
    dtype: DTypeLike,
    table: Float[Array, "I J"],
    left: Float[Array, "I K"],
    right: Float[Array, "K J"],
    tile: Tile,
    interpret: bool,
) -> Shaped[Array, "I J"]:
    """Return the kernel's result for every tile, with whatever a whole tile lacks added."""
    height, across = table.shape
    rows, width = tile.rows, tile.width
    table = _padded(table, rows, width)
    # Turned, so that the numbers one step needs lie side by side.
    left = _padded(left.T, STEP, rows)
    right = _padded(right, STEP, width)
    steps = left.shape[0]
    call = pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(table.shape, dtype),
        grid=(table.shape[0] // rows, table.shape[1] // width),
        in_specs=[
            pl.BlockSpec((rows, width), lambda i, j: (i, j)),
            pl.BlockSpec((steps, rows), lambda i, j: (0, i)),
            pl.BlockSpec((steps, width), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((rows, width), lambda i, j: (i, j)),
        compiler_params=triton.CompilerParams(num_warps=tile.warps, num_stages=1),
        interpret=interpret,
    )
    return call(table, left, right)[:height, :across]


def _padded(table: Float[Array, "I J"], rows: int, columns: int) -> Float[Array, "_ _"]:
    height, width = table.shape
    return jnp.pad(table, ((0, -height % rows), (0, -width % columns)), constant_values=-jnp.inf)
