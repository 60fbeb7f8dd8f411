"""Ants in mazes: commands, walls, and logs of them."""

import numpy as np
import pytest

from ant_models import maze_walls, write_ant
from first_occupancy_paper.worlds._ant_physics import loaded_ant
from first_occupancy_paper.worlds.ant_mazes import HOLD, AntMaze, ant_maze_log, headings
from first_occupancy_paper.worlds.point_mazes import MEDIUM

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = write_ant(tmp_path_factory.mktemp("ant") / "maze.xml", maze_walls(MEDIUM))
    return loaded_ant("test", path)


def still(positions, velocities, commands):
    """Return no torques."""
    del velocities, commands
    return np.zeros((len(positions), 8))


def test_headings_are_unit_vectors():
    found = headings(np.array([[3.0, 4.0], [0.0, -0.1]]))
    assert np.allclose(found, [[0.6, 0.8], [0, -1]])


def test_a_command_is_held_and_given_as_a_unit_vector(model):
    told = []

    def walker(positions, velocities, commands):
        told.append(commands)
        return still(positions, velocities, commands)

    ants = AntMaze(model, walker, 2, rng=np.random.default_rng(0), threads=1)
    ants.reset(np.zeros((2, 2)))
    ants.step(np.array([[3.0, 4.0], [1.0, 0.0]]))
    assert len(told) == HOLD
    assert all(np.allclose(each, [[0.6, 0.8], [1, 0]]) for each in told)


def test_torques_move_ants_and_noise_is_only_there_if_asked_for(model):
    def bent(*given):
        return still(*given) + 1.0

    ends = []
    for walker, noise in ((still, 0.0), (still, 0.0), (still, 0.5), (bent, 0.0)):
        rng = np.random.default_rng(0)
        ants = AntMaze(model, walker, 3, rng=rng, noise=noise, threads=1)
        ants.reset(np.zeros((3, 2)))
        ends.append(ants.step(np.ones((3, 2))))
    assert (ends[0] == ends[1]).all()
    assert (ends[0] != ends[2]).any()
    assert (ends[0] != ends[3]).all()


def test_walls_hold_ants_back(model):
    ants = AntMaze(model, still, 1, rng=np.random.default_rng(0), threads=1)
    ants.reset(MEDIUM.centres([(1, 1)]))
    ants._ants.velocities[:, 0] = -50
    for _ in range(4):
        place = ants.step(np.ones((1, 2)))[0]
    assert place[0] > -2


@pytest.mark.parametrize("number", [0, 1])
def test_unstable_physics_is_not_recorded_as_a_jump(model, tmp_path, monkeypatch, number):
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes its log
    ants = AntMaze(model, still, 2, rng=np.random.default_rng(0), threads=1)
    ants.reset(MEDIUM.centres([(1, 1), (6, 6)]))  # the first is at the origin, where resets lead
    ants._ants.velocities[number] = np.nan
    with pytest.raises(RuntimeError, match="AntMaze: physics has become unstable"):
        ants.step(np.ones((2, 2)))


def test_a_log_has_a_row_for_each_command(model):
    log = ant_maze_log(MEDIUM, model, still, "stitch", seed=0, num_episodes=3, threads=1)
    rows = 200 // HOLD + 1
    assert log.observations.shape == (3 * rows, 2)
    assert log.num_episodes == 3
    assert np.allclose(np.linalg.norm(log.actions, axis=1), 1, atol=1e-5)
    starts = log.observations[::rows].astype(float)
    centres = MEDIUM.centres(MEDIUM.cells_of(starts))
    assert np.abs(starts - centres).max() <= 1
