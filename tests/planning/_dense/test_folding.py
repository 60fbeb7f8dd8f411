"""The table of best legs, against NumPy on the FRs that it is made of."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.planning.frp import fold, plan_to_every_goal, plan_to_goal
from strategies import tied_frs


def test_a_fold_serves_in_place_of_the_frs():
    """200 policies do not fit the small integers that leaders usually are kept in."""
    frs = jnp.asarray(tied_frs(20, count=200))
    table = fold(frs)
    assert table.num_states == 20
    assert fold(frs[:3]).leader.dtype == jnp.int8
    np.testing.assert_array_equal(table.leader, frs.argmax(axis=0).T)
    for one, other in (
        (plan_to_goal(table, 3), plan_to_goal(frs, 3)),
        (plan_to_every_goal(table), plan_to_every_goal(frs)),
    ):
        jax.tree.map(np.testing.assert_array_equal, one, other)
    with pytest.raises(InputError, match=r"fold: frs must hold expected discounts in \[0, 1\]"):
        fold(frs + 1)
