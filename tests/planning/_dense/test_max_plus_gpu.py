"""The GPU's kernels: interpreted here, and lowered for the devices that they are for."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.planning._dense import max_plus, max_plus_gpu
from first_occupancy.planning._dense.closure import close
from strategies import random_legs


def test_the_kernels_products_and_first_indices_are_what_they_say():
    rows, depth, columns = 70, 48, 90
    table, left, right = (
        random_legs(*size, dtype=np.float32)
        for size in ((rows, columns), (rows, depth), (depth, columns))
    )
    # Zeros of both signs, alone and as a sum.
    table[0, 0], table[0, 1], left[1, 2], right[2, :] = 0.0, -0.0, -0.0, 0.0
    through = left[:, :, None] + right[None]
    largest = np.maximum(table, through.max(axis=1))
    assert np.isneginf(largest).any()
    # Half a step below the largest some others reach it too; above it none does.
    least = np.where(np.arange(columns) % 3 == 0, 1, through.max(axis=1) - 0.5).astype(np.float32)
    reaching = through >= least[:, None, :]
    first = np.where(reaching.any(axis=1), reaching.argmax(axis=1), depth)
    assert (first == depth).any()
    products, searches = [], []
    for tile in (max_plus_gpu.TILE, max_plus_gpu.SEARCH_TILE):
        here = {"tile": tile, "interpret": True}
        products.append(partial(max_plus_gpu.accumulate, **here))
        products.append(partial(max_plus_gpu.accumulate_on_cuda, **here))
        searches.append(partial(max_plus_gpu.first_reaching, **here))
    factors = jnp.asarray(left), jnp.asarray(right)
    for accumulate in products:
        np.testing.assert_array_equal(accumulate(jnp.asarray(table), *factors), largest)
    for first_reaching in searches:
        np.testing.assert_array_equal(first_reaching(jnp.asarray(least), *factors), first)


def test_products_on_cuda_have_plain_zeros_and_take_what_is_above_for_zero():
    above = jnp.full((64, 64), 0.5, jnp.float32)
    nothing = jnp.full((64, 64), -jnp.inf, jnp.float32)
    for table, factor in ((above, nothing), (nothing, above)):
        found = max_plus_gpu.accumulate_on_cuda(table, factor, factor, interpret=True)
        assert (found == 0).all()
        assert not np.signbit(found).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_programs_have_the_kernels_of_the_device_they_are_lowered_for_not_of_the_default(dtype):
    legs = jax.ShapeDtypeStruct((256, 256), dtype)
    first = jax.ShapeDtypeStruct((64, 256), dtype)
    for program in (
        jax.jit(close).trace(legs),
        jax.jit(max_plus.first_reaching).trace(first, first, legs),
    ):
        for platform, ours in (("cuda", True), ("rocm", True), ("cpu", False)):
            lowered = program.lower(lowering_platforms=(platform,)).as_text()
            assert ("gpu.triton" in lowered) == ours, platform


def test_only_nvidia_devices_get_nvidia_instructions():
    legs = jax.ShapeDtypeStruct((64, 64), np.float32)
    program = jax.jit(max_plus.accumulate).trace(legs, legs, legs)
    for platform, ours in (("cuda", True), ("rocm", False)):
        lowered = program.lower(lowering_platforms=(platform,)).as_text()
        assert ("min.s32" in lowered) == ours, platform
