"""Bounds: they hold in the corridor, are tight there, and are those of a plain recursion."""

import numpy as np
import pytest

from corridors import LENGTH, corridor_log, pushed
from first_occupancy.continuous import certificates
from first_occupancy.continuous.certificates import region_bounds
from first_occupancy.continuous.goal_plans import GoalAgent, plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world

DISCOUNT = 0.99


@pytest.fixture(scope="module")
def corridor():
    return landmark_world(corridor_log(), num_actions=3)


def test_bounds_hold_in_the_corridor_and_are_tight(corridor):
    rng = np.random.default_rng(0)
    rows = []
    for start, goal in rng.uniform(0.5, LENGTH - 0.5, (12, 2)):
        plan = plan_to_observation(corridor, [goal], discount=DISCOUNT)
        agent, place, steps = GoalAgent(plan), start, 0
        while abs(place - goal) > plan.radius * corridor.model.scale[0] and steps < 500:
            action, _ = agent.predict(np.array([place]))
            place, steps = float(pushed(place, action[0])), steps + 1
        rows.append((*plan.bounds(np.array([start])), DISCOUNT**steps))
    low, high, real = np.array(rows).T
    assert (low <= real + 1e-9).mean() >= 0.9
    assert (real <= high + 1e-9).all()
    assert np.median(low / real) > 0.5  # far below 1, for the allowance


def test_lower_bounds_solve_the_plain_recursion(corridor):
    plan = plan_to_observation(corridor, [8.0], discount=DISCOUNT)
    low, high = region_bounds(plan)
    flow = certificates._flow(corridor)
    goal = plan.goal / corridor.model.scale
    slow = DISCOUNT**certificates.ALLOWANCE
    for region in np.unique(flow.regions):
        own = np.flatnonzero(flow.regions == region)
        entries = flow.ways[own, 0, 0]
        if (np.linalg.norm(entries - goal, axis=1) <= plan.radius).all():
            assert low[region] == 1
            continue
        best = 0.0
        for action in range(3):
            worst = 1.0
            for row in own:
                left = flow.left[row, action]
                way = flow.ways[row, action, : left + 1]
                near = np.flatnonzero(np.linalg.norm(way - goal, axis=1) <= plan.radius)
                value = slow ** near[0] if len(near) else slow**left * low[flow.into[row, action]]
                worst = min(worst, value)
            best = max(best, worst)
        assert low[region] == pytest.approx(best, abs=1e-6)
    assert (low <= high).all()


def test_at_the_goal_both_bounds_are_one(corridor):
    plan = plan_to_observation(corridor, [8.0], discount=DISCOUNT)
    assert plan.bounds(np.array([8.0])) == (1.0, 1.0)
