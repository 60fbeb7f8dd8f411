"""Logs of skills in Gymnasium environments."""

import gymnasium
import numpy as np
import pytest

from first_occupancy.continuous.region_plans import plan_to_region
from first_occupancy.continuous.skill_worlds import skill_world
from first_occupancy.interop.gym.skill_logs import log_skills


def left(seen):
    return np.zeros(len(seen), int)


class Right:
    """A skill with the `predict` of Stable-Baselines3."""

    def predict(self, observation, state=None, *, deterministic=False):
        return np.full(len(observation), 2), state


def test_the_log_says_who_acted_and_ends_with_the_environments_episodes():
    environment = gymnasium.make("MountainCar-v0", max_episode_steps=50)
    log = log_skills(environment, [left, Right()], num_steps=230, seed=0)
    assert (len(log), log.num_episodes) == (230, 5)
    again = log_skills(environment, [left, Right()], num_steps=230, seed=0)
    assert (again.observations == log.observations).all()
    # Pushes of 0.001 differ by the skill; the slope is the same for both.
    rows = log.steps
    position, velocity = log.observations[rows].T
    slope = -0.0025 * np.cos(3 * position)
    pushes = log.observations[rows + 1, 1] - velocity - slope
    assert pushes == pytest.approx(np.where(log.actions[rows, 0] == 1, -0.001, 0.001), abs=1e-6)


def test_a_mountain_car_leaves_the_valley_by_skills():
    environment = gymnasium.make("MountainCar-v0", max_episode_steps=150)
    skills = [left, Right()]
    log = log_skills(environment, skills, num_steps=6000, seed=0, switched=25.0)
    world = skill_world(log, skills, num_landmarks=300)
    agent = plan_to_region(world, lambda seen: seen[:, 0] < -0.9, discount=0.99).agent()
    seen, _ = environment.reset(seed=7)
    steps = 0
    while seen[0] >= -0.9 and steps < 150:
        action, _ = agent.predict(seen)
        seen, *_ = environment.step(int(action))
        steps += 1
    assert seen[0] < -0.9


def test_continuous_actions_have_the_spaces_shape():
    environment = gymnasium.make("Pendulum-v1", max_episode_steps=20)
    log = log_skills(environment, [lambda seen: np.full(len(seen), 2.0)], num_steps=40, seed=0)
    assert log.observations.shape == (42, 3)


def test_what_cannot_be_used_is_refused(error_of):
    environment = gymnasium.make("MountainCar-v0")
    message = "log_skills: needs at least one policy, got none"
    assert error_of(lambda: log_skills(environment, [], num_steps=5)) == message
    grid = gymnasium.make("FrozenLake-v1")
    message = "log_skills: observations must be vectors of numbers, got int64 of shape []"
    assert error_of(lambda: log_skills(grid, [left], num_steps=5)) == message
