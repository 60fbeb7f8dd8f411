"""Ants on a plane: features do not know where they are, and four sides are alike."""

import numpy as np
import pytest

from ant_models import write_ant
from first_occupancy_paper.worlds import ant_batch
from first_occupancy_paper.worlds._ant_physics import loaded_ant
from first_occupancy_paper.worlds.ant_batch import (
    AntBatch,
    ant_controls,
    ant_features,
    directions,
    rotations,
)

mujoco = pytest.importorskip("mujoco")


@pytest.fixture
def model(tmp_path):
    return write_ant(tmp_path / "ant.xml")


def random_states(size, rng):
    """Return positions and velocities of ants in any attitude."""
    return rng.normal(size=(size, 15)), rng.normal(size=(size, 14))


def turned_states(positions, velocities, angle):
    """Return the same ants in a world that is turned about the vertical."""
    axis = np.array([np.cos(angle / 2), 0, 0, np.sin(angle / 2)])
    moved, moving = positions.copy(), velocities.copy()
    flat = rotations(axis[None])[0][:2, :2]
    moved[:, :2], moving[:, :2] = positions[:, :2] @ flat.T, velocities[:, :2] @ flat.T
    for row, attitude in zip(moved, positions[:, 3:7], strict=True):
        mujoco.mju_mulQuat(row[3:7], axis, attitude)
    return moved, moving, flat


def test_rotations_are_those_of_mujoco():
    attitudes = np.random.default_rng(0).normal(size=(20, 4))
    for attitude, found in zip(attitudes, rotations(attitudes), strict=True):
        wanted = np.zeros(9)
        mujoco.mju_quat2Mat(wanted, attitude / np.linalg.norm(attitude))
        assert np.allclose(found, wanted.reshape(3, 3))


def test_features_do_not_depend_on_place_or_heading():
    rng = np.random.default_rng(1)
    positions, velocities = random_states(50, rng)
    commands = directions(rng.uniform(0, 7, 50))
    seen, turns = ant_features(positions, velocities, commands)
    moved, moving, flat = turned_states(positions, velocities, 1.234)
    moved[:, :2] += 5
    again, turns_again = ant_features(moved, moving, commands @ flat.T)
    assert np.allclose(seen, again, atol=1e-5)
    assert (turns == turns_again).all()


def test_commands_point_ahead_of_upright_ants():
    rng = np.random.default_rng(2)
    positions, velocities = random_states(100, rng)
    positions[:, 3:7] = [1, 0, 0, 0]
    seen, _ = ant_features(positions, velocities, directions(rng.uniform(0, 7, 100)))
    ahead, aside = seen[:, 4], seen[:, 5]
    assert (ahead >= np.abs(aside) - 1e-6).all()
    assert np.allclose(np.hypot(ahead, aside), 1, atol=1e-5)


@pytest.mark.parametrize("quarter", [1, 2, 3])
def test_the_same_decisions_walk_the_same_way_in_all_four_directions(model, quarter):
    loaded = loaded_ant("test", model)
    decisions = np.random.default_rng(3).uniform(-1, 1, (20, 8))
    places, features = [], []
    for turn in (0, quarter):
        data, command = mujoco.MjData(loaded), directions(np.array([turn * np.pi / 2]))
        for decision in decisions:
            seen, turns = ant_features(data.qpos[None], data.qvel[None], command)
            data.ctrl[:] = ant_controls(decision[None], turns)[0]
            mujoco.mj_step(loaded, data, 5)
        places.append(data.qpos[:2] @ rotations(_about(turn))[0][:2, :2])
        features.append(seen)
    assert np.linalg.norm(places[0]) > 0.01
    assert np.allclose(*places, atol=1e-9)
    assert np.allclose(*features, atol=1e-5)


def _about(turn):
    angle = turn * np.pi / 2
    return np.array([[np.cos(angle / 2), 0, 0, np.sin(angle / 2)]])


def test_rewards_are_speeds_as_commanded_less_costs(model):
    ants = AntBatch(model, 6, seed=0, threads=1)
    before, commands = ants._positions[:, :2].copy(), ants._commands.copy()
    torques = np.full((6, 8), 0.5, np.float32)
    _, rewards, *_ = ants.step(torques)
    speeds = ((ants._positions[:, :2] - before) * commands).sum(axis=1) / 0.1
    upward = rotations(ants._positions[:, 3:7])[:, 2, 2]
    costs = ant_batch.EFFORT * 0.25 + ant_batch.TILT * (1 - upward)
    going_on = ~ants.new
    assert going_on.any()
    assert np.allclose(rewards[going_on], (speeds - costs)[going_on], atol=1e-5)
    assert np.allclose(ants.speeds[going_on], speeds[going_on])


def test_speed_above_the_limit_earns_no_more(model):
    ants = AntBatch(model, 6, seed=0, threads=1)
    ants._ages[:], ants._positions[:, 2] = 0, 5.0  # in the air, so that nothing slows them down
    ants._velocities[:, :2] = 5 * ants._commands
    _, rewards, *_ = ants.step(np.zeros((6, 8), np.float32))
    assert (ants.speeds > 2 * ant_batch.FAST).all()
    assert (rewards <= ant_batch.FAST).all()


@pytest.mark.parametrize("velocity", [np.nan, 1e6, 1e20])
def test_unstable_ants_are_given_up_without_reward(model, tmp_path, monkeypatch, velocity):
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes its log
    ants = AntBatch(model, 3, seed=0, threads=1)
    ants._ages[:], ants._velocities[1] = 0, velocity
    _, rewards, given_up, features = ants.step(np.zeros((3, 8), np.float32))
    assert given_up.tolist() == [False, True, False]
    assert rewards[1] == 0
    assert np.abs(features).max() < 100
    assert np.isfinite(ants.step(np.zeros((3, 8), np.float32))[3]).all()


def test_new_starts_are_spread_over_time(model):
    assert len(set(AntBatch(model, 20, seed=0, threads=1)._ages.tolist())) > 10


def test_ants_on_their_back_are_given_up(model):
    ants = AntBatch(model, 4, seed=0, threads=1)
    ants._positions[:2, 3:7], ants._positions[:2, 2] = [0, 1, 0, 0], 0.4
    ants._positions[2:, 3:7] = [1, 0, 0, 0]
    ants._ages[:] = 0
    given_up = [ants.step(np.zeros((4, 8), np.float32))[2] for _ in range(ant_batch.ON_BACK_STEPS)]
    assert not np.any(given_up[:-1])
    assert given_up[-1].tolist() == [True, True, False, False]
    assert ants.new.tolist() == [True, True, False, False]


def test_arrivals_are_those_before_a_new_start(model):
    ants = AntBatch(model, 3, seed=1, threads=1)
    ants._ages[:] = [ant_batch.EPISODE_STEPS - 1, 0, 0]
    arrivals, _, given_up, features = ants.step(np.zeros((3, 8), np.float32))
    assert ants.new.tolist() == [True, False, False]
    assert not given_up.any()
    assert not np.allclose(arrivals[0], features[0])
    twin = AntBatch(model, 3, seed=1, threads=1)
    twin._ages[:] = 0
    assert (twin.step(np.zeros((3, 8), np.float32))[0] == arrivals).all()


def test_starts_are_near_the_given_places(model):
    starts = np.array([[10.0, 0.0], [0.0, -20.0]])
    ants = AntBatch(model, 40, seed=0, starts=starts, threads=1)
    far = np.abs(ants._positions[:, None, :2] - starts).max(axis=2)
    assert far.min(axis=1).max() <= ant_batch.SCATTER
    assert set(far.argmin(axis=1)) == {0, 1}


def test_the_same_seed_gives_the_same_ants(model):
    seen = [AntBatch(model, 5, seed=seed, threads=1) for seed in (1, 1, 2)]
    for ants in seen:
        for _ in range(3):
            ants.step(np.ones((5, 8), np.float32))
    assert (seen[0].features == seen[1].features).all()
    assert (seen[0].features != seen[2].features).any()


def test_coarse_physics_is_eulers(tmp_path):
    path = write_ant(tmp_path / "ant.xml")
    path.write_text(path.read_text().replace("Euler", "RK4"))
    euler = mujoco.mjtIntegrator.mjINT_EULER
    for coarse in (False, True):
        ants = AntBatch(path, 1, seed=0, coarse=coarse, threads=1)
        assert (ants._ants.model.opt.integrator == euler) == coarse
