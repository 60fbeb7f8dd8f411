"""Plans are valued by their steps, and mixtures take the parameters of both parts."""

import jax.numpy as jnp
import numpy as np

from first_occupancy.behaviour.learned_values import OccupancyValues
from first_occupancy.behaviour.planned_values import Mixture, PlannedValues
from first_occupancy.behaviour.subjects import grid_layouts

LAYOUTS = grid_layouts(np.ones((1, 3, 3), bool), goal=0)


def test_neighbours_are_valued_by_the_steps_that_remain():
    free = jnp.ones(9, bool)
    values = {"discount": 0.5}
    # From the centre: north is cell 1, east 5, south 7, west 3; all but 5 and 7 are one step away.
    whole = PlannedValues().options(values, free, LAYOUTS, 4)
    np.testing.assert_allclose(whole, [0.5, 0.125, 0.125, 0.5])
    straight = PlannedValues(0).options(values, free, LAYOUTS, 4)
    np.testing.assert_allclose(straight, [0.5, 0, 0, 0.5])
    counted = PlannedValues(None, 1).options(values, free, LAYOUTS, 1)
    np.testing.assert_allclose(counted[3], 1)
    np.testing.assert_allclose(counted[2], 0.5**3)


def test_parameters_of_a_mixture_are_told_apart():
    both = Mixture(OccupancyValues(), PlannedValues(1))
    names = [each.name for each in both.parameters]
    assert names == ["step_size", "discount", "second_discount", "weight"]
