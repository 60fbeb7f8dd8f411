"""MiniGrid seen from above: poses, and worlds in which doors open and keys are carried."""

import numpy as np
import pytest

pytest.importorskip("minigrid", reason="the extra 'peers' is not installed")

import gymnasium

from first_occupancy.interop.gym.minigrid_poses import (
    PoseObservations,
    SameGrid,
    WorldObservations,
    pose_key,
)
from first_occupancy.interop.plan_agents import ReplanningAgent, run_episode
from first_occupancy.interop.skills import learn_skills
from first_occupancy.interop.states import KeyedStates


def test_poses_are_where_the_agent_is_and_grids_stay_the_same():
    environment = PoseObservations(SameGrid(gymnasium.make("MiniGrid-FourRooms-v0"), seed=3))
    first, _ = environment.reset(seed=0)
    grid = environment.unwrapped.grid.encode()
    again, _ = environment.reset(seed=1)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(grid, environment.unwrapped.grid.encode())
    turned = environment.step(1)[0]
    assert pose_key(turned) == (first[0], first[1], (first[2] + 1) % 4)
    assert turned in environment.observation_space
    assert environment.action_space.n == 3


def test_a_door_is_unlocked_with_a_key_by_chaining_single_actions():
    environment = gymnasium.make("MiniGrid-DoorKey-5x5-v0", max_steps=5000)
    environment = WorldObservations(SameGrid(environment, seed=0))
    first, _ = environment.reset()
    assert first in environment.observation_space
    skills = learn_skills(environment, KeyedStates(), discount=0.95, num_steps=20_000)
    assert skills.ends
    goal = skills.nearest(skills.ends, skills.states(first))
    agent = ReplanningAgent(skills, goal)
    promised = float(agent.plan.log_promised[skills.states(first)]) / np.log(0.95)
    episode = run_episode(environment, agent)
    assert (episode.reached, episode.terminated, episode.replans) == (True, True, 0)
    assert len(episode.actions) == pytest.approx(promised)
    # Pick up and toggle are among what had to be done.
    assert {3, 5} <= set(episode.actions)
    assert episode.rewards[-1] > 0
