"""Evaluations in sparse worlds, against the dense ones."""

import jax
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._sparse.achieved import SparseEvaluation

WINDY = fo.maze(["S..#", "...G", "#..."], noise=0.3)


@pytest.mark.parametrize("discount", [0.9, 0.99])
def test_all_three_numbers_are_those_of_the_dense_world(discount):
    for goal in (0, 6):
        plan = fo.plan(WINDY, goal, discount=discount)
        dense = fo.evaluate(plan, WINDY, fo.constant_policies(WINDY), discount=discount)
        policy, subgoal, goals = np.asarray(plan.policy), np.asarray(plan.subgoal), np.array([goal])
        found = SparseEvaluation(WINDY, None, policy, subgoal, discount=discount)
        np.testing.assert_allclose(found.rechosen(goals), dense.expected_discount, rtol=1e-9)
        np.testing.assert_allclose(found.leg_by_leg(), dense.leg_by_leg, rtol=1e-9)
        np.testing.assert_allclose(found.best(goals), dense.optimal, rtol=1e-9)
        sparse = fo.evaluate(plan, WINDY.sparse_mdp, discount=discount)
        np.testing.assert_allclose(sparse.loss, dense.loss, atol=1e-9)


def test_sets_of_goals_and_no_discount_are_evaluated_too():
    plan = fo.plan(WINDY, [0, 6], discount=1.0)
    for world in (WINDY, WINDY.mdp, WINDY.sparse_mdp):
        found = fo.evaluate(plan, world, discount=1.0)
        np.testing.assert_allclose(found.expected_discount, 1)
        np.testing.assert_allclose(found.optimal, 1)


def test_deterministic_worlds_are_evaluated_by_paths_and_legs_when_asked_for():
    still = fo.maze(["S..#", "...G", "#..."])
    plan = fo.plan(still, 6, discount=0.9)
    found = fo.evaluate(plan, still, discount=0.9)
    assert "leg by leg" in str(found)
    for values in (found.expected_discount, found.leg_by_leg, found.optimal):
        np.testing.assert_allclose(values, plan.expected_discount, rtol=1e-6)
    # A copy still knows how to compute the legs.
    kept = jax.tree.map(lambda leaf: leaf, found)
    np.testing.assert_array_equal(kept.leg_by_leg, found.leg_by_leg)
