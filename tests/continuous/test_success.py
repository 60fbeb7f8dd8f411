"""The estimate of success: sure in the corridor, 0 without a way, and as chancy as a jump."""

from dataclasses import replace

import numpy as np
import pytest

from corridors import LENGTH, corridor_log, jumping_log
from first_occupancy.continuous._success import Success, estimate, simulated, worth_of
from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import fields_of, landmark_world
from first_occupancy.continuous.region_plans import RegionPlan, plan_to_region


@pytest.fixture(scope="module")
def corridor():
    return landmark_world(corridor_log(), num_actions=3)


def test_in_a_corridor_all_arrive_in_time_for_their_way(corridor):
    for plan in (
        plan_to_observation(corridor, [8.0]),
        plan_to_region(corridor, lambda seen: np.abs(seen[:, 0] - 8) < 0.3),
    ):
        found = plan.success([2.0])
        assert found.probability > 0.95
        assert found.low > 0.7
        assert found.high == 1
        assert plan.success([2.0], max_steps=20).probability < 0.05
        times = simulated(plan, np.full((9, 1), 2.0), 400)
        assert (np.abs(times - 57) < 12).all()


def test_jumps_arrive_as_often_as_recorded():
    """Beyond 9 a step leads to 1, or to 5 with a chance of 0.3; what is left of 5 counts."""
    world = landmark_world(jumping_log(), num_actions=3, stride=4.0)
    plan = plan_to_region(world, lambda seen: np.abs(seen[:, 0] - 1) < 0.05)
    right = simulated(Constant(**fields_of(plan)), np.full((300, 1), 8.5), 12)
    assert (right < np.inf).mean() == pytest.approx(0.7, abs=0.15)


class Constant(RegionPlan):
    """A plan that goes right everywhere."""

    def scores(self, places):
        right = np.full(len(places), self.world.actions[:, 0].argmax())
        return np.eye(len(self.world.actions))[right]


def test_estimates_of_many_trials_are_as_wide_as_they_are_worth():
    some, all_, none = (estimate(arrived, 40, worth=8.0) for arrived in (20, 40, 0))
    assert some.probability == pytest.approx(0.5)
    assert some.low + some.high == pytest.approx(1)
    assert all_.high == 1 > all_.probability > all_.low > 0.7
    assert none.low == 0 < none.probability < none.high < 0.3
    assert estimate(20, 40, worth=20.0).low > some.low
    assert repr(Success(0.861, 0.71, 0.94)) == "0.86 (0.71 to 0.94)"


def test_rollouts_are_worth_more_where_held_out_episodes_are_predicted_better(corridor):
    def with_error(error):
        found = tuple(each._replace(model_errors=(error,)) for each in corridor.predictions)
        return worth_of(replace(corridor, predictions=found))

    assert with_error(0.01) == 20
    assert with_error(0.2) == pytest.approx(10)
    assert with_error(1.0) == 6
    assert worth_of(replace(corridor, predictions=())) == 6


def test_bad_options_are_refused(error_of, corridor):
    plan = plan_to_observation(corridor, [8.0])
    assert "rollouts must be at least 1, got 0" in error_of(lambda: plan.success([1.0], rollouts=0))
    assert "max_steps" in error_of(lambda: plan.success([1.0], max_steps=-3))
    assert "1 numbers" in error_of(lambda: plan.success([1.0, LENGTH]))
