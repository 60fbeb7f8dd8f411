"""Walkers: learned, kept in files, and the same in NumPy as in JAX."""

import jax
import numpy as np
import pytest

from ant_models import write_ant
from first_occupancy.core.errors import InputError
from first_occupancy_paper.walkers import ppo
from first_occupancy_paper.walkers.walking import (
    learn_to_walk,
    load_walker,
    walker_of,
)
from first_occupancy_paper.worlds.ant_batch import (
    NUM_FEATURES,
    NUM_TORQUES,
    AntBatch,
    ant_controls,
    ant_features,
)

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def state():
    first = ppo.init(jax.random.key(0), NUM_FEATURES, NUM_TORQUES, width=16)
    seen = 1 + 2 * jax.random.normal(jax.random.key(1), (300, NUM_FEATURES))
    scaling = ppo.observed(first.scaling, seen)
    return ppo.PPOState(first.networks, scaling, first.moments, first.rate)


def test_a_walker_is_the_mean_of_the_policy(state):
    features = np.random.default_rng(1).normal(size=(9, NUM_FEATURES)).astype(np.float32)
    wanted = jax.vmap(state.networks.mean)(state.scaling(jax.numpy.asarray(features)))
    assert np.allclose(walker_of(state)(features), wanted, atol=1e-5)


def test_a_walker_comes_back_from_its_file(state, tmp_path):
    walker = walker_of(state)
    walker.save(tmp_path / "walker.npz")
    features = np.random.default_rng(2).normal(size=(3, NUM_FEATURES)).astype(np.float32)
    assert (load_walker(tmp_path / "walker.npz")(features) == walker(features)).all()


def test_what_is_no_walker_is_refused(state, tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(InputError, match=r"load_walker: path must be a file that Walker\.save"):
        load_walker(tmp_path / "text.npz")
    zeros = np.zeros(29, np.float32)
    np.savez(tmp_path / "small.npz", mean=zeros, scale=zeros + 1)
    with pytest.raises(InputError, match=r"load_walker: path must be a file that Walker\.save"):
        load_walker(tmp_path / "small.npz")
    np.savez(
        tmp_path / "other.npz",
        mean=zeros,
        scale=zeros + 1,
        weight0=np.zeros((3, 29), np.float32),
        bias0=np.zeros(3, np.float32),
    )
    with pytest.raises(InputError, match="must hold a walker for ants"):
        load_walker(tmp_path / "other.npz")


def test_controls_are_decisions_in_the_frame_of_the_command(state):
    rng = np.random.default_rng(3)
    positions, velocities = rng.normal(size=(5, 15)), rng.normal(size=(5, 14))
    commands = np.tile([0.0, -1.0], (5, 1))
    walker = walker_of(state)
    features, turns = ant_features(positions, velocities, commands)
    wanted = ant_controls(walker(features), turns)
    assert (walker.controls(positions, velocities, commands) == wanted).all()


def test_rounds_report_what_was_done_and_can_be_continued(tmp_path):
    ants = AntBatch(write_ant(tmp_path / "ant.xml"), 8, seed=0, threads=1)
    rounds = learn_to_walk(ants, seed=0, horizon=4, width=16)
    first, report = next(rounds)
    second, later = next(rounds)
    assert (report["steps"], later["steps"]) == (32, 64)
    assert later["seconds"] >= later["physics"] > 0
    assert float(second.scaling.count) == pytest.approx(64, abs=0.01)
    again, _ = next(learn_to_walk(ants, seed=1, horizon=4, width=16, state=first))
    assert float(again.scaling.count) == pytest.approx(64, abs=0.01)
