"""Legs that arrive most surely."""

import numpy as np

from first_occupancy.planning._dense.surest import surest_legs


def test_the_surer_leg_wins_and_of_equals_the_sooner():
    # From 0, policy 0 reaches the goal 2 with .5 at once, policy 1 surely through 1.
    sure = np.array([[[1, 0, 0.5], [0, 1, 0], [0, 0, 1]], [[1, 1, 0], [0, 1, 1], [0, 0, 1.0]]])
    found = surest_legs(sure, 0.9 * sure, 2, None)
    assert (found.policy.tolist(), found.subgoal.tolist()) == ([1, 1, -1], [1, 2, 2])
    np.testing.assert_allclose(np.exp(found.log_discount), [1, 1, 1])
    at_once = surest_legs(sure, 0.9 * sure, 2, 0)
    assert at_once.policy.tolist() == [0, 1, -1]


def test_what_cannot_arrive_has_no_leg():
    found = surest_legs(np.eye(3)[None], np.eye(3)[None], 1, None)
    assert found.subgoal.tolist() == [-1, 1, -1]
    assert np.exp(found.log_discount).tolist() == [0, 1, 0]
