"""Words compare states exactly; hashes tell them apart and are spread evenly."""

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.interop.enumeration._bulk_hashes import hash_of, joined, words_of


def test_words_are_equal_exactly_where_states_are():
    one = {"a": jnp.array([0.0, jnp.nan]), "b": jnp.array(True), "c": jnp.array(3, jnp.int8)}
    other = {"a": jnp.array([-0.0, -jnp.nan]), "b": jnp.array(True), "c": jnp.array(3, jnp.int8)}
    np.testing.assert_array_equal(words_of(one), words_of(other))
    for changed in ({"c": jnp.array(-3, jnp.int8)}, {"b": jnp.array(False)}, {"a": jnp.ones(2)}):
        assert (words_of(one | changed) != words_of(one)).any()
    assert words_of(jnp.array(1 + 2j)).shape[0] == 2 * words_of(jnp.array(1.0)).shape[0]
    assert words_of(jax.random.key(3)).shape == (2,)


def test_a_million_similar_rows_have_different_hashes_that_are_spread_evenly():
    rows = np.zeros((2**18, 5), np.uint32)
    rows[:, 1], rows[:, 4] = np.arange(2**18) % 512, np.arange(2**18) // 512
    rows[:, 3] = rows[:, 1] << 22
    hashes = np.asarray(jax.jit(jax.vmap(lambda row: hash_of(row, 0)))(rows))
    assert len(np.unique(joined(hashes))) == len(rows)
    for lane in hashes.T:
        counts = np.bincount(lane >> 24, minlength=256)
        # Chi-squared with 255 degrees of freedom: mean 255, standard deviation 22.6.
        assert ((counts - 1024) ** 2 / 1024).sum() < 255 + 6 * 22.6
    assert (hashes != np.asarray(jax.jit(jax.vmap(lambda row: hash_of(row, 1)))(rows))).any()
