"""The table of best legs, against NumPy on the FRs that it is made of."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.planning._dense.folding import BestLegs, best_legs, fold_bytes, folded
from first_occupancy.planning.frp import plan_to_every_goal, plan_to_goal
from first_occupancy.representations import Occupancies, successor
from strategies import tied_frs


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_legs_are_the_logs_of_the_best_frs_turned_round(dtype):
    frs = tied_frs(20, dtype=dtype)
    # A rounding above 1 counts as 1; numbers with missing digits, and zeros, lead nowhere.
    frs[0, 1, 2], frs[:, 3, 4] = 1 + 4e-6, np.finfo(dtype).tiny / 2
    table = best_legs(jnp.asarray(frs))
    assert table.legs.shape == (20, 20)
    assert table.legs.dtype == dtype
    legs, leader = np.asarray(table.legs), np.asarray(table.leader)
    for start, there in np.ndindex(20, 20):
        best = min(max(fr[start, there] for fr in frs), 1)
        leads = start != there and best >= np.finfo(dtype).tiny
        expected = np.log(dtype(best)) if leads else -np.inf
        np.testing.assert_allclose(legs[there, start], expected, rtol=1e-6)
        first = [fr[start, there] for fr in frs].index(max(fr[start, there] for fr in frs))
        assert leader[there, start] == first


def test_a_fold_serves_in_place_of_the_frs():
    """200 policies do not fit the small integers that leaders usually are kept in."""
    frs = jnp.asarray(tied_frs(20, count=200))
    table = best_legs(frs)
    assert table.num_states == 20
    assert best_legs(frs[:3]).leader.dtype == jnp.int8
    np.testing.assert_array_equal(table.leader, frs.argmax(axis=0).T)
    for one, other in (
        (plan_to_goal(table, 3), plan_to_goal(frs, 3)),
        (plan_to_every_goal(table), plan_to_every_goal(frs)),
    ):
        jax.tree.map(np.testing.assert_array_equal, one, other)
    with pytest.raises(
        InputError, match=r"best_legs: frs must hold expected discounts in \[0, 1\]"
    ):
        best_legs(frs + 1)


def test_what_was_folded_before_is_taken_as_it_is_and_so_are_occupancies():
    frs = jnp.asarray(tied_frs(20))
    table = best_legs(frs)
    assert folded("anyone", table) is table
    kept = best_legs(Occupancies(frs, discount=0.9))
    jax.tree.map(np.testing.assert_array_equal, kept, table)
    with pytest.raises(InputError, match="anyone: frs must be first-occupancy, got successor"):
        folded("anyone", Occupancies(frs, discount=0.9, representation=successor))


def test_inside_jit_entries_cannot_be_looked_at_and_are_folded_all_the_same():
    frs = jnp.asarray(tied_frs(20))
    traced = jax.jit(best_legs)(frs)
    assert isinstance(traced, BestLegs)
    jax.tree.map(np.testing.assert_array_equal, traced, best_legs(frs))


def test_the_memory_of_a_fold_is_that_of_three_tables_and_leaders_twice():
    few, many = jnp.zeros((3, 10, 10), jnp.float32), jnp.zeros((200, 10, 10), jnp.float32)
    assert fold_bytes(few) == 100 * (3 * 4 + 2 * 1)
    assert fold_bytes(many) == 100 * (3 * 4 + 2 * 4)
