"""Our point mazes are OGBench's: maps, tasks, steps, subgoals, files; and an agent acts in them."""

import os

import numpy as np
import pytest

from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy_paper.worlds.point_maze_logs import point_maze_log
from first_occupancy_paper.worlds.point_mazes import MEDIUM, POINT_MAZES

os.environ.setdefault("MUJOCO_GL", "disable")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(params=list(POINT_MAZES))
def both(request):
    """Return a maze of ours and OGBench's environment of the same name."""
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("ogbench")
    name = f"pointmaze-{request.param}-v0"
    environment = gymnasium.make(name, terminate_at_goal=False, max_episode_steps=10**9)
    environment.reset(seed=0, options={"task_id": 1})
    return POINT_MAZES[request.param], environment


def test_maps_and_tasks_are_the_same(both):
    maze, environment = both
    theirs = environment.unwrapped
    assert (maze.free == (theirs.maze_map == 0)).all()
    tasks = [(tuple(each["init_ij"]), tuple(each["goal_ij"])) for each in theirs.task_infos]
    assert tasks == list(maze.tasks)


def worst_step(maze, environment, places, actions):
    """Return the largest distance between our step and theirs."""
    ours, _ = maze.step(places, actions, np.random.default_rng(0))
    worst = 0.0
    for place, action, found in zip(places, actions, ours, strict=True):
        environment.unwrapped.set_xy(place)
        seen, *_ = environment.step(action)
        worst = max(worst, float(np.linalg.norm(found - seen)))
    return worst


def test_recorded_steps_are_the_same(both):
    maze, environment = both
    log = point_maze_log(maze, "navigate", seed=5, num_episodes=20)
    rows = np.random.default_rng(0).choice(log.steps, 800)
    places, actions = log.observations[rows].astype(float), log.actions[rows].astype(float)
    assert worst_step(maze, environment, places, actions) < 1e-4


def test_pushes_into_walls_are_the_same_but_deep_in_corners(both):
    maze, environment = both
    rng = np.random.default_rng(1)
    places = maze.scattered(np.repeat(maze.cells, 5, axis=0), rng)
    push = rng.uniform(-1, 1, places.shape)
    for _ in range(12):
        before = places
        _, places = maze.step(places, push, rng)
    steps = [worst_step(maze, environment, before[[k]], push[[k]]) for k in range(len(before))]
    # In inner corners friction couples both walls in MuJoCo, which ours leaves out.
    assert np.quantile(steps, 0.7) < 1e-3
    assert max(steps) < 0.1


def test_the_walker_heads_for_the_same_cells(both):
    maze, environment = both
    rng = np.random.default_rng(2)
    cells = maze.cells[rng.integers(len(maze.cells), size=(100, 2))]
    for start, goal in cells:
        here, there = maze.scattered(np.stack([start, goal]), rng)
        subgoal = environment.unwrapped.get_oracle_subgoal(here, there)[0]
        ours = maze.centres(maze.next_cells[*start, *goal][None])[0]
        assert np.allclose(subgoal, ours)


def test_their_loader_reads_our_logs(tmp_path):
    utils = pytest.importorskip("ogbench.utils")
    log = point_maze_log(MEDIUM, "stitch", seed=0, num_episodes=5)
    parts = {"observations": log.observations, "actions": log.actions, "terminals": log.last}
    single = {name: part.astype(np.float32) for name, part in parts.items()}
    np.savez_compressed(tmp_path / "log.npz", **single)
    loaded = utils.load_dataset(tmp_path / "log.npz")
    assert loaded["observations"].shape == (len(log), 2)
    assert np.allclose(loaded["next_observations"], log.observations[log.steps + 1])


def test_an_agent_reaches_goals_in_their_environment():
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("ogbench")
    environment = gymnasium.make("pointmaze-medium-v0")
    world = landmark_world(point_maze_log(MEDIUM, "stitch", seed=0))
    reached = 0
    for task in range(1, 6):
        observation, info = environment.reset(seed=task, options={"task_id": task})
        agent, done = plan_to_observation(world, info["goal"]).agent(), False
        while not done:
            action, _ = agent.predict(observation)
            observation, _, terminated, truncated, info = environment.step(action)
            done = terminated or truncated
        reached += int(info["success"])
    assert reached == 5
