"""Plans to observations, and agents that follow them."""

import numpy as np
import pytest

from corridors import LENGTH, STEP, corridor_log, pushed
from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world


@pytest.fixture(scope="module")
def corridor():
    return landmark_world(corridor_log(), num_actions=3)


def walk(agent, place, steps, move=pushed):
    """Return the places of an agent in the corridor."""
    places = [place]
    for _ in range(steps):
        action, _ = agent.predict(np.array([places[-1]]))
        places.append(float(move(places[-1], action[0])))
    return places


@pytest.mark.parametrize("discount", [1.0, 0.99])
def test_the_agent_goes_straight_to_the_goal_and_stays(corridor, discount):
    plan = plan_to_observation(corridor, [8.0], discount=discount)
    places = walk(plan.agent(), 1.0, 100)
    arrived = int(np.argmax(np.abs(np.array(places) - 8) < 0.4))
    assert arrived == pytest.approx((8 - 0.4 - 1) / STEP, abs=5)
    assert np.abs(np.array(places[arrived:]) - 8).max() < 0.4


def test_expected_discounts_are_those_of_walking_there(corridor):
    plan = plan_to_observation(corridor, [8.0], discount=0.99)
    expected = 0.99 ** ((8 - 1 - corridor.spacing * corridor.model.scale[0]) / STEP)
    assert plan.expected(np.array([1.0])) == pytest.approx(expected, rel=0.15)
    assert plan_to_observation(corridor, [8.0]).expected(np.array([1.0])) == pytest.approx(1)


def test_predict_is_that_of_stable_baselines(corridor):
    agent = plan_to_observation(corridor, [8.0]).agent()
    action, state = agent.predict(np.array([1.0]), None, deterministic=True)
    assert action.shape == (1,)
    assert state is None
    agent.reset()


def test_it_says_what_it_plans_and_chains_frs_to_single_landmarks(corridor):
    engines = set()
    for goal in np.linspace(0.5, LENGTH - 0.5, 19):
        plan = plan_to_observation(corridor, [goal])
        engine = "dense" if len(plan.goal_landmarks) == 1 else "sparse"
        size = corridor.num_states
        assert repr(plan) == (
            f"GoalPlan: the surest plan to [{goal}] from {size} landmarks ({engine})"
        )
        engines.add(engine)
    assert "dense" in engines


def test_goals_far_from_all_data_are_refused_with_the_distance(error_of, corridor):
    away = (LENGTH + 2 - LENGTH) / corridor.model.scale[0]
    message = error_of(lambda: plan_to_observation(corridor, [LENGTH + 2]))
    assert message.startswith(
        f"plan: no data lead to the goal: the nearest recorded observation is {away:.3g} typical "
        f"steps away, more than the radius {corridor.spacing:.3g}"
    )
    plan_to_observation(corridor, [LENGTH + 2], radius=1.1 * away)


@pytest.mark.parametrize("radius", [0, -1.0, np.nan, np.inf, "wide"])
def test_a_radius_is_a_positive_number(error_of, corridor, radius):
    assert "radius" in error_of(lambda: plan_to_observation(corridor, [5.0], radius=radius))


@pytest.mark.parametrize("discount", [1.0, 0.99])
def test_nothing_exceeds_one(corridor, discount):
    plan = plan_to_observation(corridor, [8.0], discount=discount)
    found = [plan.expected(np.array([place])) for place in np.linspace(0, LENGTH, 40)]
    assert max(found) <= 1
