"""Plans that followed a change, against plans made afresh in the changed world."""

import numpy as np

import first_occupancy as fo

GOAL = 7


def assert_equal_plans(plan, fresh):
    for name in ("policy", "subgoal", "log_promised", "expected_discount"):
        assert np.asarray(getattr(plan, name)).tolist() == getattr(fresh, name).tolist()
    assert plan.expected_time.tolist() == fresh.expected_time.tolist()
    assert plan.probability.tolist() == fresh.probability.tolist()
    assert str(plan) == str(fresh)


def is_as_made_afresh(planner, goal=GOAL, **options):
    plan = planner.plan(goal, **options)
    made = {"policies": planner.policies, "discount": planner.discount}
    fresh = fo.plan(planner.world, goal, **made, **options)
    assert_equal_plans(plan, fresh)
    for start in range(0, planner.world.num_states, 20):
        if np.isfinite(fresh.log_promised[start]):
            assert plan.legs(start) == fresh.legs(start)
    return plan, fresh
