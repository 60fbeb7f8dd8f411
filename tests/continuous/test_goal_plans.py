"""Plans to observations, and agents that follow them."""

import numpy as np
import pytest

import first_occupancy as fo
from corridors import STEP, corridor_log, pushed
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


def test_it_says_what_it_plans(corridor):
    plan = plan_to_observation(corridor, [8.0])
    expected = f"GoalPlan: the surest plan to [8.0] from {corridor.num_states} landmarks"
    assert repr(plan) == expected


def test_goals_far_from_all_data_are_refused(error_of, corridor):
    message = error_of(lambda: plan_to_observation(corridor, [30.0]))
    assert message.startswith("plan: no data lead to the goal: the nearest landmark is ")
    assert message.endswith(f" typical steps away, more than {3 * corridor.spacing:.3g}")


def test_one_function_plans_in_every_kind_of_world(corridor, error_of):
    plan = fo.plan(corridor, [8.0], discount=0.99)
    assert repr(plan) == repr(plan_to_observation(corridor, [8.0], discount=0.99))
    assert repr(fo.plan(corridor, lambda seen: seen[:, 0] > 9)).startswith("RegionPlan: the surest")
    message = error_of(lambda: fo.plan(corridor, [8.0], avoid=[3]))
    assert message == "plan: avoid must be left out in a landmark world"
    message = error_of(lambda: fo.plan(fo.maze(["S.G"]), 2))
    assert message == "plan: discount must be given; 1 plans for the surest arrival"
