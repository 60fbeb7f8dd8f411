"""Bounds: they hold in the corridor, are tight there, and are those of a plain recursion."""

import numpy as np
import pytest

from corridors import LENGTH, corridor_log, jumping_log, pushed
from first_occupancy.continuous import certificates
from first_occupancy.continuous.certificates import region_bounds
from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.core.episodes import Episodes

DISCOUNT = 0.99


@pytest.fixture(scope="module")
def corridor():
    return landmark_world(corridor_log(), num_actions=3)


def test_bounds_hold_in_the_corridor_and_are_tight(corridor):
    rng = np.random.default_rng(0)
    rows = []
    for start, goal in rng.uniform(0.5, LENGTH - 0.5, (12, 2)):
        plan = plan_to_observation(corridor, [goal], discount=DISCOUNT)
        agent, place, steps = plan.agent(), start, 0
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
        worst = 1.0
        for row in own:
            best = 0.0
            for action in range(3):
                left = flow.left[row, action]
                way = flow.ways[row, action, : left + 1]
                near = np.flatnonzero(np.linalg.norm(way - goal, axis=1) <= plan.radius)
                value = slow ** near[0] if len(near) else slow**left * low[flow.into[row, action]]
                best = max(best, value)
            worst = min(worst, best)
        assert low[region] == pytest.approx(worst, abs=1e-6)
    assert (low <= high).all()


def with_trap():
    """Return episodes in a corridor from 3 on, and others that never leave the place around 2."""
    rng = np.random.default_rng(0)
    seen, done = [], []
    for number in range(80):
        trapped = number % 2
        place, rows, acts = (2.0 if trapped else rng.uniform(3, LENGTH)), [], []
        push = rng.choice([-1.0, 1.0])
        for time in range(100):
            if time % 15 == 0:
                push = rng.choice([-1.0, 1.0])
            ahead = np.sign(2.0 - place) if trapped and abs(place - 2) > 0.05 else push
            action = np.clip(ahead + rng.normal(0, 0.2), -1, 1)
            rows.append([place])
            acts.append([action])
            place = float(np.clip(pushed(place, action), 0 if trapped else 3, LENGTH))
        seen.append([*rows, [place]])
        done.append(acts)
    return Episodes(seen, done)


def test_no_bound_leads_out_of_a_trap_through_places_that_were_never_visited():
    world = landmark_world(with_trap(), num_actions=3)
    gap = world.model.places[:, 0] * world.model.scale[0]
    assert not ((gap > 2.4) & (gap < 2.99)).any()
    plan = plan_to_observation(world, [8.0], discount=DISCOUNT)
    trap, free = plan.bounds(np.array([2.0])), plan.bounds(np.array([3.5]))
    assert trap.low == 0
    assert free.low > 0.2
    # Held, an action would leave: the local model knows of no wall there.
    place = np.array([[2.0]]) / world.model.scale
    for _ in range(certificates.PATIENCE * round(world.spacing)):
        place = world.model.moved(place, np.array([[1.0]]))
    assert place[0, 0] * world.model.scale[0] > 2.6


def test_jumps_count_for_less_than_their_recorded_mean():
    world = landmark_world(jumping_log(), num_actions=3)
    plan = plan_to_observation(world, [5.0], discount=DISCOUNT)
    low, _ = region_bounds(plan)
    regions, ahead = world.regions(world.model.places), world.regions(world.model.arrivals)
    jumping = np.flatnonzero(world.jumping)
    assert len(jumping)
    for region in jumping:
        values = low[ahead[regions == region]]
        tests = np.log(len(jumping) / 0.05)
        luck = values.max() * np.sqrt(tests / (2 * len(values)))
        assert low[region] == pytest.approx(DISCOUNT * max(values.mean() - luck, 0), abs=1e-6)
        assert low[region] < DISCOUNT * values.mean()
    assert (low[jumping] > 0).any()


@pytest.mark.parametrize("count", [5, 40, 400])
def test_means_less_their_luck_are_below_the_expectation_as_often_as_stated(count):
    rng = np.random.default_rng(0)
    means = rng.binomial(count, 2 / 3, (2000, 19)) / count
    wrong = (means - certificates._luck(np.full(19, float(count)), 19) > 2 / 3).any(axis=1)
    assert wrong.mean() <= 1 - certificates.CONFIDENCE


def test_at_the_goal_both_bounds_are_one(corridor):
    plan = plan_to_observation(corridor, [8.0], discount=DISCOUNT)
    assert plan.bounds(np.array([8.0])) == (1.0, 1.0)
