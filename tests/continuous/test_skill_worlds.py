"""Worlds from skills: logs of skills that act in turn, and plans to whatever they lead to."""

import numpy as np
import pytest

from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.skill_worlds import acted, skill_episodes, skill_world

LENGTH, STEP = 10.0, 0.1


class Corridor:
    """A point that is pushed along a corridor; it starts anywhere."""

    def starts(self, rng, size):
        return rng.uniform(0, LENGTH, (size, 1))

    def step(self, states, actions):
        return np.clip(states + STEP * actions[:, None], 0, LENGTH)

    def observe(self, states):
        return states


def left(seen):
    return np.full(len(seen), -1.0)


class Right:
    """A skill with the `predict` of Stable-Baselines3."""

    def predict(self, observation, state=None, *, deterministic=False):
        assert deterministic
        return np.ones(len(observation)), state


SKILLS = [left, Right()]


@pytest.fixture(scope="module")
def log():
    return skill_episodes(Corridor(), SKILLS, num_episodes=60, num_steps=60)


@pytest.fixture(scope="module")
def world(log):
    return skill_world(log, SKILLS, num_landmarks=60, hold=3)


def test_places_are_shared_out_in_balance_unless_told_otherwise(log, world):
    places = np.random.default_rng(0).uniform(1, LENGTH - 1, (50, 1)) / world.model.scale

    def means(known):
        return known.shared(places) @ (known.landmarks / known.model.scale)

    assert means(world) == pytest.approx(places, abs=0.03 * world.spacing)
    blurred = skill_world(log, SKILLS, num_landmarks=60, hold=3, balanced=False)
    assert np.abs(means(blurred) - places).max() > 0.05 * blurred.spacing


def test_the_log_says_who_acted(log):
    assert len(log) == 3600
    rows = log.steps
    moves = (log.observations[rows + 1] - log.observations[rows])[:, 0]
    pushes = np.where(log.actions[rows, 0] == 1, -STEP, STEP)
    inside = (log.observations[rows, 0] > STEP) & (log.observations[rows, 0] < LENGTH - STEP)
    assert moves[inside] == pytest.approx(pushes[inside])


def test_skills_take_turns_in_some_episodes_often_in_others_seldom(log):
    turns = log.actions[:, 0].reshape(60, 61)
    switches = (turns[:, 1:] != turns[:, :-1]).mean(axis=1)
    # A skill that is drawn anew is another one half of the time: rates are .5 to .005.
    assert switches.max() > 0.3
    assert switches.min() < 0.03
    assert np.median(switches) == pytest.approx(0.05, abs=0.035)


def test_an_agent_goes_to_an_observation_by_skills(world):
    plan = plan_to_observation(world, [8.0], discount=0.99)
    agent, place, steps = plan.agent(), 1.0, 0
    while not plan.arrived(np.array([place])) and steps < 200:
        action, _ = agent.predict(np.array([place]))
        assert action in (-1.0, 1.0)
        place, steps = float(np.clip(place + STEP * action, 0, LENGTH)), steps + 1
    left_over = plan.radius * world.model.scale[0]
    assert steps == pytest.approx((8 - 1 - left_over) / STEP, abs=2)


def test_a_world_of_skills_says_so(world):
    assert repr(world).startswith("LandmarkWorld: 60 landmarks, 2 skills\n")


def test_skills_that_cannot_be_used_are_refused(error_of, log):
    message = "skills: a skill must be a function or have predict, got int"
    assert error_of(lambda: acted(3, np.zeros((2, 1)))) == message
    message = "skills: a skill must return one action for each of 2 observations, got shape [3]"
    assert error_of(lambda: acted(lambda seen: np.zeros(3), np.zeros((2, 1)))) == message
    message = "skill_episodes: skills must hold at least one skill, got none"
    assert error_of(lambda: skill_episodes(Corridor(), [], num_episodes=1, num_steps=1)) == message
    message = (
        "skill_world: log must say which of 3 skills acted, as skill_episodes does, got actions of "
        "2 numbers"
    )
    assert error_of(lambda: skill_world(log, [left] * 3)) == message
    message = "skill_world: hold must be at least 1, got 0"
    assert error_of(lambda: skill_world(log, SKILLS, hold=0)) == message


def test_observations_that_are_not_finite_are_refused(error_of):
    class Broken(Corridor):
        def observe(self, states):
            return np.full_like(states, np.nan)

    call = lambda: skill_episodes(Broken(), [left], num_episodes=1, num_steps=2)  # noqa: E731
    assert error_of(call) == "skill_episodes: observations must be finite, got NaN or infinity"
