r"""Matrix products in which sums become maxima and products sums: joining legs in logs.

$$(L \otimes R)_{ij} = \max_k\ L_{ik} + R_{kj}$$

A tile of rows of the result stays in cache while the inner index runs, sixteen steps at a time
in registers, which is as near to arithmetic speed as the compiler comes on a CPU. On a
GPU kernels of our own are used (`max_plus_gpu.py`), for which the functions here are the oracle.
The choice is made when a program is lowered for its device, whatever the default device is. The
kernels are imported with the first product, because importing Pallas takes a twentieth of a second.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

STEP = 16
"""Steps of the inner index taken at once; with fewer, the adders wait for memory."""

TILE = 64
"""Rows of the result that stay in cache together."""


def accumulate(
    table: Float[Array, "I J"], left: Float[Array, "I K"], right: Float[Array, "K J"]
) -> Float[Array, "I J"]:
    r"""Return the larger of `table` and $L \otimes R$; no entry may be above 0.

    K must be a multiple of 16.
    """
    from first_occupancy.planning._dense.max_plus_gpu import accumulate as on_gpu
    from first_occupancy.planning._dense.max_plus_gpu import accumulate_on_cuda as on_cuda

    return jax.lax.platform_dependent(
        table, left, right, cuda=on_cuda, rocm=on_gpu, default=accumulate_plainly
    )


def first_reaching(
    least: Float[Array, "I J"], left: Float[Array, "I K"], right: Float[Array, "K J"]
) -> Int[Array, "I J"]:
    """Return the first k with L[i, k] + R[k, j] >= least[i, j], or K where there is none."""
    from first_occupancy.planning._dense.max_plus_gpu import first_reaching as on_gpu

    return jax.lax.platform_dependent(
        least, left, right, cuda=on_gpu, rocm=on_gpu, default=first_reaching_plainly
    )


def accumulate_plainly(
    table: Float[Array, "I J"], left: Float[Array, "I K"], right: Float[Array, "K J"]
) -> Float[Array, "I J"]:
    """Return the result of `accumulate`, in plain JAX."""
    rights = right.reshape(-1, STEP, right.shape[1])

    def rows(tile: tuple[Array, Array]) -> Array:
        def step(best: Array, factors: tuple[Array, Array]) -> tuple[Array, None]:
            lefts, rights = factors
            for k in range(STEP):
                joined = lefts[k][:, None] + rights[k][None, :]
                # `jnp.maximum` would check for NaN, at twice the cost.
                best = jnp.where(joined > best, joined, best)
            return best, None

        best, lefts = tile
        return jax.lax.scan(step, best, (_steps(lefts), rights))[0]

    return _tile_by_tile(rows, table, left)


def first_reaching_plainly(
    least: Float[Array, "I J"], left: Float[Array, "I K"], right: Float[Array, "K J"]
) -> Int[Array, "I J"]:
    """Return the result of `first_reaching`, in plain JAX, from the last k to the first."""
    size = right.shape[0]
    rights = right.reshape(-1, STEP, right.shape[1])
    starts = jnp.arange(0, size, STEP, dtype=jnp.int32)

    def rows(tile: tuple[Array, Array]) -> Array:
        needed, lefts = tile

        def step(found: Array, factors: tuple[Array, Array, Array]) -> tuple[Array, None]:
            lefts, rights, start = factors
            for k in reversed(range(STEP)):
                joined = lefts[k][:, None] + rights[k][None, :]
                found = jnp.where(joined >= needed, start + k, found)
            return found, None

        none = jnp.full(needed.shape, size, jnp.int32)
        return jax.lax.scan(step, none, (_steps(lefts), rights, starts), reverse=True)[0]

    return _tile_by_tile(rows, least, left)


def _steps(lefts: Float[Array, "tile K"]) -> Float[Array, "steps step tile"]:
    return lefts.T.reshape(-1, STEP, len(lefts))


def _tile_by_tile(rows, *tables: Float[Array, "I _"]) -> Array:
    """Apply `rows` to each tile of the tables and concatenate the results."""
    count = tables[0].shape[0]
    tile = min(TILE, count)
    beyond = -count % tile
    padded = [jnp.pad(table, ((0, beyond), (0, 0))) for table in tables]
    tiles = tuple(table.reshape(-1, tile, table.shape[1]) for table in padded)
    return jax.lax.map(rows, tiles).reshape(-1, tables[0].shape[1])[:count]
