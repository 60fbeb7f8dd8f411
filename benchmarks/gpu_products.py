"""Which inner loop makes the fastest max-plus product on a GPU? Needs a Hopper GPU (sm_90).

    PYTHONPATH=src:reproduction/src python benchmarks/gpu_products.py

Plainly, a pair takes an addition and a maximum. Since Hopper there are instructions that do more at
once, for integers, and the assembler takes them if what belongs together stands together, which
inline assembly sees to:

    max    an addition and a maximum, to see what else inline assembly changes
    min3   numbers as they are. The bits of negative floats, read as integers, are in reverse order,
           so a maximum is a minimum of bits, of three at once: two additions and one VIMNMX3 for
           two pairs. Zeros must be negative ones.
    dpx    whole numbers, as logs in a small enough unit: VIADDMNMX adds and takes the maximum.

Instructions in the loop, counted in what ptxas 12.9 makes of a tile of 64 x 64 in one warp, for
1,024 pairs a thread: 1,024 FADD and 1,024 FMNMX (plain, and max); 1,024 FADD and 512 VIMNMX3; 1,024
VIADDMNMX. Written without inline assembly, ptxas joins one pair in ten or none.

`ahead` fetches the next step's numbers before this one's are joined. Tiles of one warp leave two
warps to a scheduler, too few to hide that a fetch takes hundreds of clocks.

On an H200, S = 8,192, in 10^12 pairs a second; the plain kernel makes 9.4:

    tile, warps        step                 max     min3    dpx
    64 x 64, 1         8                    10.9    13.6    13.6
    64 x 64, 1         8, ahead             10.6    10.8    13.9
    64 x 64, 1         4                    10.5    13.3    12.3
    64 x 64, 1         4, ahead             11.5    13.1    13.8
    64 x 64, 1         16                    8.5    11.9    13.7
    64 x 32, 1         8, ahead             10.9    11.4    13.7
    32 x 64, 1         8, ahead             11.1    11.5    13.4
    128 x 128, 4       8                    10.7    12.2    13.0
    128 x 128, 4       4, ahead             11.1    12.4    14.0

So the library has min3 as in the first line: all of float32, at nearly the speed of whole numbers.
It matters that a step's numbers are all fetched before the first is used. The library's kernel,
when it had min3 but fetched pair by pair, made no more than the plain one; with the loop of the
first line it made 13.7 and 13.5 in two runs (reproduction/results/gpu_planning.json is the first).

By the rates we know of (128 additions and 64 integer minima a clock on each of 132 processors, at
1.98 GHz, of 128 instructions in all), max is bound by 16.7 and min3 by 22.3. One instruction a pair
being hardly faster says that something else is waited for; no profile was taken.

A search, in milliseconds: 64 x 64 in one warp 238, in two 175; 64 x 32 171; 32 x 32 212; and 32 x
64, which the library has, 106.
"""

import itertools
import json
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton
from measuring import Row, best_times, compared

from first_occupancy.planning._dense.max_plus_gpu import (
    TILE,
    Tile,
    accumulate,
    accumulate_on_cuda,
    first_reaching,
)

SIZE = 8192
UNIT = 2.0**-25
"""Of logs as whole numbers: down to -32, and -2^30 for nothing, so that sums fit in 32 bits."""
NOTHING = -(2**30)
WRONG = 1e-5
"""Logs that differ by so much are wrong: whole numbers differ by less than 1e-7 and roundings."""


class Loop(NamedTuple):
    """An inner loop: what is done with two more terms of a maximum, and the tile it is done in."""

    way: str
    rows: int = 64
    columns: int = 64
    warps: int = 1
    step: int = 8
    ahead: bool = False


WAYS = {
    "max": (
        "{.reg .f32 a, b;"
        "mov.b32 a, $1; add.f32 b, $2, $3; max.f32 a, a, b; add.f32 b, $4, $5; max.f32 a, a, b;"
        "mov.b32 $0, a;}",
        "=r,r,f,f,f,f",
    ),
    "min3": (
        "{.reg .f32 a, b; .reg .s32 x, y;"
        "add.f32 a, $2, $3; add.f32 b, $4, $5; mov.b32 x, a; mov.b32 y, b;"
        "min.s32 x, $1, x; min.s32 $0, x, y;}",
        "=r,r,f,f,f,f",
    ),
    "dpx": (
        "{.reg .s32 a, b;"
        "add.s32 a, $2, $3; max.s32 a, a, $1; add.s32 b, $4, $5; max.s32 $0, b, a;}",
        "=r,r,r,r,r,r",
    ),
}
TILES = [
    {},
    {"ahead": True},
    {"step": 4},
    {"step": 4, "ahead": True},
    {"step": 16},
    {"columns": 32, "ahead": True},
    {"rows": 32, "ahead": True},
    {"rows": 128, "columns": 128, "warps": 4},
    {"rows": 128, "columns": 128, "warps": 4, "step": 4, "ahead": True},
]
LOOPS = [Loop(way, **tile) for way in WAYS for tile in TILES]


@partial(jax.jit, static_argnums=0)
def product(loop: Loop, table: jax.Array, left: jax.Array, right: jax.Array) -> jax.Array:
    """Return the accumulated product, of integers as which `table` comes and the result goes."""
    code, constraints = WAYS[loop.way]
    shape = (loop.rows, loop.columns)

    def kernel(table, left, right, result):
        last = left.shape[0] // loop.step - 1

        def fetch(number):
            start = jnp.minimum(number, last) * loop.step
            return [(left[start + k, :], right[start + k, :]) for k in range(loop.step)]

        def join(best, fetched):
            wide = [
                jnp.broadcast_to(part, shape)
                for down, across in fetched
                for part in (down[:, None], across[None, :])
            ]
            for k in range(0, len(wide), 4):
                (best,) = triton.elementwise_inline_asm(
                    code,
                    args=[best, *wide[k : k + 4]],
                    constraints=constraints,
                    pack=1,
                    result_shape_dtypes=[jax.ShapeDtypeStruct(shape, jnp.int32)],
                )
            return best

        def step(number, best):
            return join(best, fetch(number))

        def step_ahead(number, carry):
            best, fetched = carry
            coming = fetch(number + 1)
            return join(best, fetched), coming

        count = last + 1
        if loop.ahead:
            begin = (table[:, :], fetch(0))
            result[:, :], _ = jax.lax.fori_loop(0, count, step_ahead, begin)
        else:
            result[:, :] = jax.lax.fori_loop(0, count, step, table[:, :])

    call = pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(table.shape, jnp.int32),
        grid=(table.shape[0] // loop.rows, table.shape[1] // loop.columns),
        in_specs=[
            pl.BlockSpec(shape, lambda i, j: (i, j)),
            pl.BlockSpec((left.shape[1], loop.rows), lambda i, j: (0, i)),
            pl.BlockSpec((right.shape[0], loop.columns), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec(shape, lambda i, j: (i, j)),
        compiler_params=triton.CompilerParams(num_warps=loop.warps, num_stages=1),
    )
    return call(table, left.T, right)


def whole(table: jax.Array) -> jax.Array:
    """Return logs as whole numbers of units."""
    found = jnp.round(jnp.maximum(table, NOTHING * UNIT) / UNIT)
    return jnp.where(table == -jnp.inf, NOTHING, found).astype(jnp.int32)


def bits(table: jax.Array) -> jax.Array:
    """Return the bits of numbers, as integers."""
    return jax.lax.bitcast_convert_type(table, jnp.int32)


def factors(way: str, *tables: jax.Array) -> list[jax.Array]:
    """Return what a way makes of tables of logs before it joins them."""
    if way == "dpx":
        return list(map(whole, tables))
    return [jnp.where(table == 0, -0.0, table) for table in tables]


def joined(loop: Loop, table: jax.Array, left: jax.Array, right: jax.Array) -> jax.Array:
    """Return the larger of `table` and the product, as logs again."""
    table, left, right = factors(loop.way, table, left, right)
    if loop.way == "dpx":
        return product(loop, table, left, right) * jnp.float32(UNIT)
    found = product(loop, bits(table), left, right)
    return jax.lax.bitcast_convert_type(found, jnp.float32)


def measure() -> Iterator[Row]:
    """Yield a row for each inner loop, against the plain kernel."""
    left, right = (jnp.log(jax.random.uniform(jax.random.key(i), (SIZE, SIZE))) for i in range(2))
    nothing = jnp.full_like(left, -jnp.inf)
    expected = accumulate(nothing, left, right)
    for loop in LOOPS:
        call = jax.jit(partial(joined, loop))
        try:
            apart = float(jnp.abs(call(nothing, left, right) - expected).max())
        except jax.errors.JaxRuntimeError as error:  # too many registers, say
            print(loop, str(error)[:200], flush=True)
            continue
        if not apart < WRONG:
            print(f"WRONG: {loop} is off by {apart}", flush=True)
            continue
        times = best_times(
            {
                "plain": lambda: accumulate(nothing, left, right),
                "library": lambda: accumulate_on_cuda(nothing, left, right),
                "loop": lambda call=call: call(nothing, left, right),
            },
            repeats=3,
        )
        rate = SIZE**3 / times["loop"] / 1e12
        yield compared(
            "max-plus product",
            f"S = {SIZE}, within {apart:.0e}; the library's {times['library']:.4f} s",
            ours=(f"{loop}, {rate:.2f} T/s", times["loop"]),
            peer=("plain kernel", times["plain"]),
            ratio=times["plain"] / times["loop"],
            unit="times as fast",
        )


SEARCHES = [Tile(32, 64, 1), Tile(64, 32, 1), Tile(32, 32, 1), Tile(64, 64, 2)]


def search() -> Iterator[Row]:
    """Yield a row for each tile in which to search for who makes a maximum, against `TILE`."""
    left, right = (jnp.log(jax.random.uniform(jax.random.key(i), (SIZE, SIZE))) for i in range(2))
    least = accumulate(jnp.full_like(left, -jnp.inf), left, right)
    expected = first_reaching(least, left, right, tile=TILE)
    for tile in SEARCHES:
        same = bool((first_reaching(least, left, right, tile=tile) == expected).all())
        times = best_times(
            {
                str(each): lambda each=each: first_reaching(least, left, right, tile=each)
                for each in (TILE, tile)
            },
            repeats=3,
        )
        yield compared(
            "search",
            f"S = {SIZE}",
            ours=(str(tile), times[str(tile)]),
            peer=(str(TILE), times[str(TILE)]),
            ratio=times[str(TILE)] / times[str(tile)],
            unit="times as fast" if same else "WRONG RESULT",
        )


def main() -> None:
    """Measure and print."""
    for row in itertools.chain(search(), measure()):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
