"""Legs that arrive most surely."""

import numpy as np

from first_occupancy.planning._dense.surest import chain_surest, sure_legs


def test_the_surer_leg_wins_and_of_equals_the_sooner():
    # From 0, policy 0 reaches the goal 2 with .5 at once, policy 1 surely through 1.
    sure = np.array([[[1, 0, 0.5], [0, 1, 0], [0, 0, 1]], [[1, 1, 0], [0, 1, 1], [0, 0, 1.0]]])
    legs = sure_legs(sure, sure)
    found = chain_surest(legs, 2, None)
    assert (found.policy.tolist(), found.subgoal.tolist()) == ([1, 1, -1], [1, 2, 2])
    np.testing.assert_allclose(np.exp(found.log_promised), [1, 1, 1])
    at_once = chain_surest(legs, 2, 0)
    assert at_once.policy.tolist() == [0, 1, -1]


def test_what_cannot_arrive_has_no_leg():
    found = chain_surest(sure_legs(np.eye(3)[None], np.zeros((1, 3, 3))), 1, None)
    assert found.subgoal.tolist() == [-1, 1, -1]
    assert np.exp(found.log_promised).tolist() == [0, 1, 0]


def test_of_equally_sure_legs_the_soonest_leads_whatever_the_unit_of_time():
    sure = np.broadcast_to(np.triu(np.ones((3, 3))), (2, 3, 3))
    for unit in (1e-12, 1.0, 1e12):
        # Policy 0 takes 5 and 1, policy 1 takes 2 and 2; straight to the end 9 and 8.
        times = unit * np.array(
            [[[0, 5, 9], [0, 0, 1], [0, 0, 0]], [[0, 2, 8], [0, 0, 2], [0, 0, 0]]]
        )
        found = chain_surest(sure_legs(sure, times), 2, None)
        assert found.policy.tolist() == [1, 0, -1]
        assert found.subgoal.tolist() == [1, 2, 2]
        assert chain_surest(sure_legs(sure, times), 2, 0).subgoal.tolist() == [2, 2, 2]
