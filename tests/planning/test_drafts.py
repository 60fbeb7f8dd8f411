"""Plans as engines return them, and as users get them."""

import jax
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.planning._drafts import Draft, time_given_arrival
from first_occupancy.planning.plans import Origin, plan_of

NUMBERS = np.array([0.75, 1.0]), np.array([3.0, 0.0])


def draft(**options):
    policy, logs = np.array([0, -1]), np.array([-0.5, 0.0])
    return Draft(policy=policy, subgoal=np.array([1, 1]), log_promised=logs, **options)


def test_a_plan_has_the_numbers_in_jaxs_precision():
    plan = plan_of(draft(gap=0.25), np.array([1]), "paths", origin=Origin(lambda: NUMBERS))
    assert (int(plan.goal), plan.goals, plan.engine, plan.gap) == (1, None, "paths", 0.25)
    assert (plan.probability.tolist(), plan.expected_time.tolist()) == ([0.75, 1], [3, 0])
    assert plan.expected_time.dtype == plan.log_promised.dtype
    assert plan_of(draft(), np.array([0, 1]), "paths").goals.tolist() == [0, 1]


def test_a_plan_read_by_a_compiled_function_first_is_none_of_its_arrays():
    plan = fo.plan(fo.maze("S..G"), 3, discount=0.5)
    assert jax.jit(lambda state: plan.policy[state])(0) == 1
    assert plan.policy.tolist() == [1, 1, 1, -1]
    assert isinstance(plan.policy, jax.Array)


@pytest.mark.parametrize("x64", [False, True])
def test_a_plan_read_later_has_the_precision_in_which_it_was_made(x64):
    with jax.enable_x64(x64):
        plan = fo.plan(fo.maze("S..G"), 3, discount=0.3)
    with jax.enable_x64(not x64):
        assert plan.log_promised.dtype == (np.float64 if x64 else np.float32)
        assert plan.policy.dtype == np.int32
    with pytest.raises(AttributeError, match="Plan has no attribute 'discount'"):
        _ = plan.discount


def test_without_dynamics_the_promise_is_an_estimate_and_times_are_unknown():
    plan = plan_of(draft(), np.array([1]), "dense")
    assert (plan.achieved, plan.probability, plan.expected_time) == (None, None, None)
    assert plan.known == "estimate"
    np.testing.assert_allclose(plan.expected_discount, np.exp([-0.5, 0]), rtol=1e-6)


def test_what_is_achieved_comes_before_what_is_promised_but_for_underflow():
    plan = plan_of(draft(achieved=np.array([0.7, 1])), np.array([1]), "dense")
    np.testing.assert_allclose(plan.expected_discount, [0.7, 1], rtol=1e-6)
    np.testing.assert_allclose(plan.log_expected_discount, np.log([0.7, 1]), rtol=1e-6)
    faint = plan_of(draft(achieved=np.array([0.0, 1])), np.array([1]), "dense")
    np.testing.assert_allclose(faint.log_expected_discount, [-0.5, 0])


def test_a_plan_that_went_through_a_compiled_function_forgets_when_it_arrives():
    plan = plan_of(draft(), np.array([1]), "paths", origin=Origin(lambda: NUMBERS))
    other = plan_of(draft(), np.array([1]), "paths", origin=Origin(lambda: NUMBERS[::-1]))
    through = jax.jit(lambda each: each)
    assert through(plan).expected_time is None
    # One program serves both, and neither gets the numbers of the other.
    assert through(other).expected_time is None
    assert through._cache_size() == 1


def test_time_given_arrival_is_infinite_without_arrival():
    assert time_given_arrival(np.array([0.5, 0.0]), np.array([2.0, 0.0])).tolist() == [4, np.inf]
