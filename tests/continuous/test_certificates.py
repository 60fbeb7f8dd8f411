"""Bounds: they hold in the corridor, are tight there, and lead through no unseen wall."""

import numpy as np
import pytest

from corridors import LENGTH, STEP, corridor_log, pushed
from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.continuous.local_models import CROSSED
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
    assert np.median(low / real) > 0.5


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


def test_a_movement_counts_only_where_recorded_steps_cross(corridor):
    model = corridor.model
    step, free = STEP / model.scale[0], np.array([[5.0]]) / model.scale
    assert model.crossed(free, free + step) == pytest.approx(free + step)
    rng = np.random.default_rng(0)
    places, moves = rng.uniform(0, 12, (200, 1)) / model.scale, rng.uniform(-2, 2, (200, 1))
    found = model.crossed(places, places + moves)
    begins, ends = model.places[:, 0], model.arrivals[:, 0]

    def recorded(here, there):
        return ((np.abs(begins - here) <= CROSSED) & (np.abs(ends - there) <= CROSSED)).any()

    for (here,), (ahead,), (went,) in zip(places, places + moves, found, strict=True):
        if abs(went - ahead) < 1e-9:
            assert recorded(here, ahead) or recorded(ahead, here)
        elif went != here:
            # Where a step is not a recorded one, the movement is one that was recorded near.
            near = np.abs(begins - here) <= CROSSED
            assert np.abs((ends - begins)[near] - (went - here)).min() < 1e-9
    whole = np.abs(found - places - moves)[:, 0] < 1e-9
    assert 0.2 < whole.mean() < 0.9


def test_no_way_leads_through_a_wall_that_the_log_does_not_show():
    """Two rooms side by side, between them a wall as thick as a step, at which all turn round."""
    rng = np.random.default_rng(0)
    places, seen, done = rng.uniform([0, 0], [4, 2], (300, 2)), [], []
    ways = rng.uniform(-1, 1, places.shape)
    for _ in range(60):
        ways = np.where(rng.random((300, 1)) < 0.1, rng.uniform(-1, 1, places.shape), ways)
        ahead = places + 0.1 * ways
        crossing = (np.abs(ahead[:, 0] - 2) < 0.05) | ((places[:, 0] < 2) != (ahead[:, 0] < 2))
        crossing |= ((ahead < 0) | (ahead > [4, 2])).any(axis=1)
        ways = np.where(crossing[:, None], -ways, ways)
        seen.append(places)
        done.append(ways)
        places = (places + 0.1 * ways).clip([0, 0], [4, 2])
    log = Episodes(list(np.stack([*seen, places], 1)), list(np.stack(done, 1)))
    log_steps = np.diff(np.sign(np.stack(seen, 1)[..., 0] - 2), axis=1)
    assert (log_steps != 0).mean() < 0.01
    plan = plan_to_observation(landmark_world(log, stride=2.0), [3.5, 1.0], discount=DISCOUNT)
    assert plan.bounds(np.array([0.5, 1.0])).low == 0
    assert plan.bounds(np.array([2.5, 1.0])).low > 0.3


def test_at_the_goal_both_bounds_are_one(corridor):
    plan = plan_to_observation(corridor, [8.0], discount=DISCOUNT)
    assert plan.bounds(np.array([8.0])) == (1.0, 1.0)
