"""Agents that follow plans: alone and side by side, and what they do where they get stuck."""

import numpy as np
import pytest

from corridors import corridor_log, pushed
from first_occupancy.continuous.followers import Followers
from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world


@pytest.fixture(scope="module")
def plan():
    return plan_to_observation(landmark_world(corridor_log(), num_actions=3, stride=4.0), [8.0])


def walked(agent, place, steps, move=pushed):
    for _ in range(steps):
        place = float(move(place, agent.predict(np.array([place]))[0][0]))
    return place


def blocked(place, action):
    """Return where a push leads in a corridor with a wall that the log does not show."""
    return place if 4 < place < 5 and action > 0 else pushed(place, action)


def test_an_agent_turns_away_from_where_it_gets_stuck(plan):
    agent = plan.agent()
    walked(agent, 1.0, 80, blocked)
    assert agent.stalls > 0
    patient = plan.agent(patience=None)
    walked(patient, 1.0, 80, blocked)
    assert patient.stalls == 0


def test_at_the_goal_standing_still_is_no_surprise(plan):
    agent = plan.agent()
    assert abs(walked(agent, 7.0, 100) - 8) < 0.4
    assert agent.stalls == 0


def test_copies_go_on_alike_and_do_not_disturb_each_other(plan):
    agent = plan.agent()
    place = walked(agent, 1.0, 60, blocked)
    other = agent.copy()
    assert walked(agent, place, 40, blocked) == walked(other, place, 40, blocked)
    assert agent.stalls == other.stalls


def test_followers_side_by_side_act_as_they_would_alone(plan):
    places = np.array([[1.0], [5.0], [9.5]])
    together = Followers(plan, 3)
    for _ in range(12):
        chosen = together.choose(places, np.arange(3))
        alone = [plan.choose(each[None])[0] for each in places]
        assert chosen.tolist() == alone
        places = pushed(places, plan.world.actions[chosen])
