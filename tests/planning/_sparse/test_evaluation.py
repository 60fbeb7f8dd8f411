"""Evaluations in sparse worlds, against the dense ones."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._sparse.evaluation import best, leg_by_leg, rechosen

WINDY = fo.maze(["S..#", "...G", "#..."], noise=0.3)


@pytest.mark.parametrize("discount", [0.9, 0.99])
def test_all_three_numbers_are_those_of_the_dense_world(discount):
    for goal in (0, 6):
        plan = fo.plan(WINDY, goal, discount=discount)
        dense = fo.evaluate(plan, WINDY, fo.constant_policies(WINDY), discount=discount)
        policy, subgoal, goals = np.asarray(plan.policy), np.asarray(plan.subgoal), np.array([goal])
        again = rechosen(WINDY, None, policy, goals, discount=discount)
        legs = leg_by_leg(WINDY, None, policy, subgoal, discount=discount)
        np.testing.assert_allclose(again, dense.expected_discount, rtol=1e-9)
        np.testing.assert_allclose(legs, dense.leg_by_leg, rtol=1e-9)
        np.testing.assert_allclose(best(WINDY, goals, discount=discount), dense.optimal, rtol=1e-9)
        sparse = fo.evaluate(plan, WINDY.sparse_mdp, discount=discount)
        np.testing.assert_allclose(sparse.loss, dense.loss, atol=1e-9)


def test_sets_of_goals_and_no_discount_are_evaluated_too():
    plan = fo.plan(WINDY, [0, 6], discount=1.0)
    for world in (WINDY, WINDY.mdp, WINDY.sparse_mdp):
        found = fo.evaluate(plan, world, discount=1.0)
        np.testing.assert_allclose(found.expected_discount, 1)
        np.testing.assert_allclose(found.optimal, 1)
