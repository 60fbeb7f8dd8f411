"""What a valuation prepares gives the same values as following the path step by step."""

import numpy as np

import plain_choices as plain
from first_occupancy.behaviour.planned_values import PlannedValues
from first_occupancy.behaviour.subjects import Trial, grid_layouts, subjects_from_paths
from first_occupancy.behaviour.valuations import NoValues, Valuation

FREE = plain.draw_layouts()
LAYOUTS = grid_layouts(FREE, goal=plain.GOAL)
PATHS = {"a": [Trial(*each) for each in plain.draw_paths(FREE, 3)]}
SUBJECTS = subjects_from_paths(LAYOUTS, PATHS)
ONE = SUBJECTS.choices.of(0)


def test_plans_prepared_at_once_equal_plans_made_step_by_step():
    valuation = PlannedValues(2)
    at_once = valuation.along({"discount": 0.8}, ONE, LAYOUTS, valuation.prepare(SUBJECTS)[0])
    by_step = Valuation.along(valuation, {"discount": 0.8}, ONE, LAYOUTS, None)
    allowed = np.asarray(ONE.allowed)
    np.testing.assert_allclose(np.asarray(at_once)[allowed], np.asarray(by_step)[allowed])


def test_a_subject_that_values_nothing_is_indifferent():
    at_once = NoValues().along({}, ONE, LAYOUTS, None)
    np.testing.assert_array_equal(at_once, Valuation.along(NoValues(), {}, ONE, LAYOUTS, None))
    assert not at_once.any()
