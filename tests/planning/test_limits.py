"""How large a gain must be in each precision, against plans of FRs that differ by less and more."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy import planning
from first_occupancy.planning.limits import indifference


@pytest.mark.parametrize(("dtype", "rounding"), [(np.float32, 2.0**-23), (np.float64, 2.0**-52)])
def test_only_gains_of_more_than_64_roundings_are_worth_a_switch(dtype, rounding):
    assert indifference(jnp.dtype(dtype)) == 64 * rounding
    # By way of state 1 the goal, 2, is nearer by a share of half or four times as much.
    for share, subgoal in ((0.5, 2), (4, 1)):
        half = 0.5 * (1 + share * 64 * rounding)
        frs = jnp.asarray([[[1, half, 0.25], [0, 1, 0.5], [0, 0, 1]]], dtype)
        assert planning.plan_to_goal(frs, 2).subgoal.tolist() == [subgoal, 2, 2]
