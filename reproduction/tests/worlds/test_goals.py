"""The library's plans over landmarks and skills, in point mazes and a pendulum."""

import numpy as np
import pytest

from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.continuous.region_plans import plan_to_region
from first_occupancy.continuous.skill_worlds import skill_episodes, skill_world
from first_occupancy_paper.worlds.classic_control import PENDULUM
from first_occupancy_paper.worlds.point_maze_logs import point_maze_log, rolled_out
from first_occupancy_paper.worlds.point_mazes import MEDIUM, TELEPORT


def test_jumps_lead_to_the_recorded_exits():
    log = point_maze_log(TELEPORT, "stitch", seed=0, num_episodes=250)
    world = landmark_world(log)
    assert world.jumping.any()
    rows = world.mdp.action_chains[0][np.flatnonzero(world.jumping)].toarray()
    exits = TELEPORT.centres(TELEPORT.exits)
    far = np.linalg.norm(world.landmarks[:, None] - exits, axis=-1).min(axis=1)
    assert rows[:, far < 2].sum(axis=1) == pytest.approx(1)
    entrances = TELEPORT.centres(TELEPORT.entrances)
    from_entrance = np.linalg.norm(world.landmarks[:, None] - entrances, axis=-1).min(axis=1)
    assert (from_entrance[world.jumping] <= 1.5).all()


@pytest.fixture(scope="module")
def medium():
    return landmark_world(point_maze_log(MEDIUM, "stitch", seed=0, num_episodes=400))


def test_an_agent_reaches_goals_that_no_episode_reached(medium):
    rng = np.random.default_rng(5)
    start, goal = MEDIUM.tasks[0]
    starts, goals = MEDIUM.scattered([start] * 3, rng), MEDIUM.scattered([goal] * 3, rng)
    agents = [plan_to_observation(medium, each).agent() for each in goals]

    def act(seen, running):
        return np.stack(
            [agents[number].predict(each)[0] for each, number in zip(seen, running, strict=True)]
        )

    arrived = rolled_out(MEDIUM, starts, goals, act, max_steps=400, rng=rng)
    assert (arrived > 0).all()


def test_a_pendulum_swings_up_by_three_constant_torques():
    skills = [lambda seen, torque=torque: np.full(len(seen), torque) for torque in (-2.0, 0.0, 2.0)]
    log = skill_episodes(PENDULUM, skills, num_episodes=200, num_steps=100)
    world = skill_world(log, skills, num_landmarks=400)

    def upright(seen):
        return (seen[:, 0] >= np.cos(0.2)) & (np.abs(seen[:, 2]) <= 1)

    plan = plan_to_region(world, upright, discount=0.99)
    states = np.array([[np.pi, 0.0], [-2.0, 0.5]])
    times = np.full(2, 999)
    for time in range(120):
        seen = np.asarray(PENDULUM.observe(states))
        times = np.where(upright(seen), np.minimum(times, time), times)
        chosen = plan.choose(seen)
        states = np.asarray(PENDULUM.step(states, np.array([-2.0, 0.0, 2.0])[chosen]))
    # Value iteration on a grid of 321 x 321 needs about 45 steps from hanging still.
    assert times.max() <= 60
