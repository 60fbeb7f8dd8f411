"""Representations start as those of a chain, and fitted parameters are named."""

import jax.numpy as jnp
import numpy as np

import plain_choices as plain
from first_occupancy.behaviour.learned_values import OccupancyValues, QValues
from first_occupancy.behaviour.subjects import grid_layouts
from first_occupancy.representations import LambdaRepresentation, first_occupancy, successor

LAYOUTS = grid_layouts(plain.draw_layouts(), goal=plain.GOAL)
CHAIN = jnp.asarray(plain.open_random_walk(ends=False))


def test_a_representation_starts_as_the_exact_one_of_its_chain():
    for recurrence, exact in (
        (0.0, first_occupancy),
        (1.0, successor),
        (0.4, LambdaRepresentation(0.4)),
    ):
        valuation = OccupancyValues(recurrence, False, CHAIN)
        column, _ = valuation.begin({"discount": 0.8}, LAYOUTS)
        expected = exact.solve(CHAIN, discount=0.8)[:, plain.GOAL]
        np.testing.assert_allclose(column, expected, rtol=1e-6)


def test_fitted_parameters_are_named():
    names = [each.name for each in OccupancyValues(None, True).parameters]
    assert names == ["step_size", "discount", "trace", "recurrence"]


def test_q_values_start_at_the_optimum_of_the_open_world():
    table = QValues().begin({"discount": 0.5}, LAYOUTS)
    expected = plain.PlainQ({"discount": 0.5}, False).q
    for (state, action), value in expected.items():
        np.testing.assert_allclose(table[state, action], value)
