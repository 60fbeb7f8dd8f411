"""Worlds with logs: what is recorded is what the simulators do, and walls hold."""

import numpy as np
import pytest

from first_occupancy_paper.worlds.logged_worlds import LOGGED_WORLDS

WORLDS = list(LOGGED_WORLDS.values())


@pytest.mark.parametrize("world", WORLDS, ids=LOGGED_WORLDS)
def test_logs_are_alike_for_a_seed_and_stay_where_no_wall_is(world):
    log = world.log(seed=3, num_episodes=8)
    assert (log.observations == world.log(seed=3, num_episodes=8).observations).all()
    assert log.num_episodes == 8
    assert np.abs(log.actions).max() <= 1
    rng = np.random.default_rng(0)
    states = world.starts(rng, 300)
    for _ in range(60):
        states = world.step(states, rng.uniform(-1, 1, (300, world.num_actions)), rng)
        holes = world is LOGGED_WORLDS["slippery floor"]
        assert holes or world.free(states[:, :2]).all()


@pytest.mark.parametrize("world", WORLDS, ids=LOGGED_WORLDS)
def test_goals_are_reached_where_they_are_and_starts_are_near(world):
    rng = np.random.default_rng(0)
    states = world.starts(rng, 50)
    assert world.reached(states, states).all()
    assert world.reached(states, states[::-1]).mean() < 0.3
    near = world.near(states, 4, rng)
    off = np.abs(near - np.repeat(states, 4, axis=0))
    assert (off <= np.asarray(world.jitter) + 1e-12).all()


def test_thin_walls_are_crossed_by_doors_alone():
    world, rng = LOGGED_WORLDS["thin walls"], np.random.default_rng(0)
    places = np.tile([1.2, 1.2], (500, 1))
    for _ in range(12):
        ahead = world.step(places, np.tile([1.0, 0.0], (500, 1)), rng)
        crossed = (places[:, 0] < 1.5) & (ahead[:, 0] > 1.5)
        assert not crossed.any()
        places = ahead
    through = np.tile([1.4, 0.7], (5, 1))
    for _ in range(5):
        through = world.step(through, np.tile([1.0, 0.0], (5, 1)), rng)
    assert (through[:, 0] > 1.5).all()
