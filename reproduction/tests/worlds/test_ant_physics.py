"""Many ants at once: starts, steps, and when they no longer make sense."""

import numpy as np
import pytest

from ant_models import write_ant
from first_occupancy_paper.worlds._ant_physics import START_NOISE, SUBSTEPS, Ants, loaded_ant

mujoco = pytest.importorskip("mujoco")


@pytest.fixture
def model(tmp_path):
    return loaded_ant("test", write_ant(tmp_path / "ant.xml"))


def test_some_ants_are_put_at_places_and_others_stay(model):
    ants = Ants(model, 3, threads=1)
    before = ants.positions.copy()
    ants.put([0, 2], np.array([[1.0, 2.0], [3.0, 4.0]]), np.random.default_rng(0))
    assert ants.places[[0, 2]].tolist() == [[1, 2], [3, 4]]
    assert (ants.positions[1] == before[1]).all()
    noise = ants.positions[[0, 2], 2:] - model.qpos0[2:]
    assert 0 < np.abs(noise).max() <= START_NOISE


def test_a_step_is_that_of_a_single_simulation(model):
    ants, alone = Ants(model, 2, threads=1), mujoco.MjData(model)
    ants.put([0, 1], np.zeros((2, 2)), np.random.default_rng(1))
    alone.qpos[:], alone.qvel[:] = ants.positions[1], ants.velocities[1]
    controls = np.random.default_rng(2).uniform(-1, 1, (2, 8))
    alone.ctrl[:] = controls[1]
    for _ in range(4):
        ants.step(controls)
        mujoco.mj_step(model, alone, SUBSTEPS)
    assert ants.positions[1] == pytest.approx(alone.qpos, abs=1e-9)
    assert ants.seconds == pytest.approx(alone.time / 4)


@pytest.mark.parametrize("velocity", [np.nan, np.inf, 1e4])
def test_ants_that_are_blown_up_are_not_stable(model, velocity, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes its log
    ants = Ants(model, 2, threads=1)
    ants.put([0, 1], np.full((2, 2), 7.0), np.random.default_rng(0))
    assert ants.stable.all()
    ants.velocities[1, 3] = velocity
    assert ants.stable.tolist() == [True, False]
    ants.step(np.zeros((2, 8)))
    assert ants.places[0] == pytest.approx(7, abs=0.5)


def test_the_model_given_is_left_as_it_is(model):
    flags = model.opt.disableflags
    assert Ants(model, 1, threads=1).model.opt.disableflags != flags
    assert model.opt.disableflags == flags
