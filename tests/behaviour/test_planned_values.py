"""Plans are valued by their steps, and mixtures take the parameters of both parts."""

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.behaviour.learned_values import OccupancyValues
from first_occupancy.behaviour.planned_values import Mixture, PlannedValues
from first_occupancy.behaviour.subjects import grid_layouts

LAYOUTS = grid_layouts(np.ones((1, 3, 3), bool), goal=0)


def test_neighbours_are_valued_by_the_steps_that_remain():
    values = {"discount": 0.5}

    def options(valuation, state):
        return valuation.options(values, valuation.begin(values, LAYOUTS), LAYOUTS, state)

    # From the centre: north is cell 1, east 5, south 7, west 3; all but 5 and 7 are one step away.
    whole = options(PlannedValues(), 4)
    np.testing.assert_allclose(whole, [0.5, 0.125, 0.125, 0.5])
    straight = options(PlannedValues(0), 4)
    np.testing.assert_allclose(straight, [0.5, 0, 0, 0.5])
    counted = options(PlannedValues(None, 1), 1)
    np.testing.assert_allclose(counted[3], 1)
    np.testing.assert_allclose(counted[2], 0.5**3)


def test_plans_follow_what_is_seen():
    free = np.ones((2, 3, 3), bool)
    free[1, 0, 1] = False
    layouts = grid_layouts(free, goal=0)
    valuation, seen = PlannedValues(), jax.vmap(PlannedValues().look, (0, None, None, 0))
    memory = jax.tree.map(lambda each: jnp.stack([each] * 2), valuation.begin({}, layouts))
    memory = seen(memory, layouts, 2, jnp.array([0, 1]))
    # The second subject sees the wall north of the centre; nothing is new to the first.
    np.testing.assert_array_equal(memory[1][:, 2], [2, 4])
    np.testing.assert_array_equal(memory[1][0], [0, 1, 2, 1, 2, 3, 2, 3, 4])
    again = seen(memory, layouts, 2, jnp.array([0, 1]))
    np.testing.assert_array_equal(again[1], memory[1])


def test_parameters_of_a_mixture_are_told_apart():
    both = Mixture(OccupancyValues(), PlannedValues(1))
    names = [each.name for each in both.parameters]
    assert names == ["step_size", "discount", "second_discount", "weight"]
