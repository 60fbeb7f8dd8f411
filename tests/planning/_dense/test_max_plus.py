"""Max-plus products in plain JAX, against NumPy."""

import jax.numpy as jnp
import numpy as np

from first_occupancy.planning._dense import max_plus
from strategies import random_legs


def test_products_and_first_indices_are_what_they_say():
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
    factors = jnp.asarray(left), jnp.asarray(right)
    found = max_plus.accumulate(jnp.asarray(table), *factors)
    np.testing.assert_array_equal(found, largest)
    reached = max_plus.first_reaching(jnp.asarray(least), *factors)
    np.testing.assert_array_equal(reached, first)


def test_a_product_is_the_best_of_all_pairs_one_by_one():
    rng = np.random.default_rng(2)
    table, left, right = (-rng.integers(0, 9, shape) for shape in ((3, 2), (3, 16), (16, 2)))
    floats = [jnp.asarray(each, jnp.float64) for each in (table, left, right)]
    joined = max_plus.accumulate_plainly(*floats)
    reached = max_plus.first_reaching_plainly(*floats)
    for i, j in np.ndindex(3, 2):
        ways = [int(left[i, k] + right[k, j]) for k in range(16)]
        assert joined[i, j] == max(int(table[i, j]), *ways)
        there = [k for k, way in enumerate(ways) if way >= table[i, j]]
        assert reached[i, j] == (there[0] if there else 16)
