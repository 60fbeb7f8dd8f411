"""MiniGrid seen from above: poses, and worlds in which doors open and keys are carried."""

import numpy as np
import pytest

pytest.importorskip("minigrid", reason="the extra 'peers' is not installed")

import gymnasium

from first_occupancy.interop.gym.minigrid_poses import (
    PoseObservations,
    SameGrid,
    pose_key,
)


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
