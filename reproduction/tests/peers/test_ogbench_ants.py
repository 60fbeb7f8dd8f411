"""OGBench's ant mazes: the same maps and states as ours, and rows of an experiment in them."""

import json
import os

import numpy as np
import pytest

from first_occupancy_paper.experiments.offline_goals import ant_walker
from first_occupancy_paper.experiments.offline_goals.ants import ant_rows
from first_occupancy_paper.walkers.walking import Walker, load_walker
from first_occupancy_paper.worlds.ant_batch import NUM_FEATURES, AntBatch, ant_controls
from first_occupancy_paper.worlds.ant_mazes import GOAL_RADIUS, AntMaze
from first_occupancy_paper.worlds.ogbench_ants import MAX_STEPS, ant_maze, save_ant_maze
from first_occupancy_paper.worlds.point_mazes import MEDIUM, POINT_MAZES

os.environ.setdefault("MUJOCO_GL", "disable")
pytest.importorskip("ogbench")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize("name", list(POINT_MAZES))
def test_maps_tasks_and_rules_are_the_same(name):
    environment = ant_maze(name)
    maze, theirs = POINT_MAZES[name], environment.unwrapped
    assert (maze.free == (theirs.maze_map == 0)).all()
    tasks = [(tuple(each["init_ij"]), tuple(each["goal_ij"])) for each in theirs.task_infos]
    assert tasks == list(maze.tasks)
    assert theirs._goal_tol == GOAL_RADIUS
    assert environment.spec.max_episode_steps == MAX_STEPS


def test_our_ants_move_as_theirs():
    environment = ant_maze("medium")
    seen, _ = environment.reset(seed=0, options={"task_id": 1})
    theirs = environment.unwrapped
    torques = np.random.default_rng(0).uniform(-1, 1, (1, 8))
    rng = np.random.default_rng(0)
    ours = AntMaze(theirs.model, lambda *_: torques, 1, rng=rng, threads=1)
    ours._ants.positions[0], ours._ants.velocities[0] = seen[:15], seen[15:]
    place = ours.step(np.ones((1, 2)))[0]
    for _ in range(5):
        seen, *_ = environment.step(torques[0])
    assert np.allclose(place, seen[:2], atol=1e-6)


def test_their_ant_has_legs_that_are_numbered_as_we_think(tmp_path):
    save_ant_maze("medium", tmp_path / "ant.xml")
    ants = AntBatch(tmp_path / "ant.xml", 4, seed=0, threads=1)
    assert ants.features.shape == (4, NUM_FEATURES)
    model = ants._ants.model
    joints = [model.joint(int(number)).name for number in model.actuator_trnid[:, 0]]
    assert joints == [f"{part}_{leg}" for leg in (4, 1, 2, 3) for part in ("hip", "ankle")]
    # A torque on the ankle of the walker's first leg bends that of leg 1, then of leg 2, and so on.
    for turn in range(4):
        control = ant_controls(np.eye(8)[1:2], np.array([turn]))[0]
        assert joints[np.flatnonzero(control)[0]] == f"ankle_{turn + 1}"


def test_an_experiment_yields_a_row_for_each_task():
    none = Walker(
        (np.zeros((8, NUM_FEATURES), np.float32),),
        (np.zeros(8, np.float32),),
        np.zeros(NUM_FEATURES, np.float32),
        np.ones(NUM_FEATURES, np.float32),
    )
    rows = list(ant_rows("medium", "stitch", none, seed=0, episodes=1, num_episodes=30, threads=1))
    assert [row["task"] for row in rows] == [1, 2, 3, 4, 5]
    # Ants that do not walk do not arrive: their goals are cells away.
    assert [row["reached"] for row in rows] == [0] * len(MEDIUM.tasks)


def test_a_walker_is_learned_and_kept(tmp_path):
    sizes = ("--num", "8", "--horizon", "4", "--width", "16", "--threads", "1")
    ant_walker.main([str(tmp_path), "--seconds", "0", *sizes])
    rows = json.loads((tmp_path / "curve.json").read_text())
    assert [row["stage"] for row in rows] == [0, 1]
    walker = load_walker(tmp_path / "walker.npz")
    assert walker.weights[0].shape == (16, NUM_FEATURES)
