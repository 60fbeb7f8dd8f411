"""What engines find, as plans."""

import numpy as np

from first_occupancy.planning._found import Found, time_given_arrival


def test_a_plan_has_the_numbers_in_jaxs_precision():
    found = Found(
        policy=np.array([0, -1]),
        subgoal=np.array([1, 1]),
        log_discount=np.array([-0.5, 0.0]),
        cost=np.array([3.0, 0.0]),
        gap=0.25,
    )
    plan = found.as_plan(np.array([1]), "paths")
    assert (int(plan.goal), plan.goals, plan.engine, plan.gap) == (1, None, "paths", 0.25)
    assert (plan.followed, plan.cost.tolist()) == (None, [3, 0])
    assert found.as_plan(np.array([0, 1]), "paths").goals.tolist() == [0, 1]


def test_time_given_arrival_is_infinite_without_arrival():
    assert time_given_arrival(np.ones(1), None) is None
    assert time_given_arrival(np.array([0.5, 0.0]), np.array([2.0, 0.0])).tolist() == [4, np.inf]
