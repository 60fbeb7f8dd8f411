"""Tables find each state and no other, also where hashes are equal."""

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.interop.enumeration import state_tables
from first_occupancy.interop.enumeration.state_tables import state_table


def test_every_row_is_found_under_jit_and_others_are_not():
    rng = np.random.default_rng(0)
    rows = np.unique(rng.integers(20, size=(300, 3)), axis=0).astype(np.uint32)
    table = state_table(rows)
    find = jax.jit(jax.vmap(table.number))
    assert find(jnp.asarray(rows)).tolist() == list(range(len(rows)))
    assert (find(jnp.asarray(rows + 20)) == -1).all()


def test_rows_with_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(state_tables, "hash_of", lambda words, salt: jnp.zeros(2, jnp.uint32))
    rows = np.arange(12, dtype=np.uint32).reshape(6, 2)
    table = state_table(rows)
    assert table.most_alike == 6
    assert jax.vmap(table.number)(jnp.asarray(rows)).tolist() == list(range(6))
    assert int(table.number(jnp.array([9, 9], jnp.uint32))) == -1
