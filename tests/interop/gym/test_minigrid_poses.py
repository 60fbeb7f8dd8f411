"""Poses are MiniGrid's; with MiniGrid itself they are tested in `tests/peers`."""

import pytest

from first_occupancy.interop.gym.minigrid_poses import PoseObservations

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


def test_an_environment_without_a_grid_is_refused(error_of):
    message = "PoseObservations: needs a MiniGrid environment, got CartPoleEnv"
    assert error_of(lambda: PoseObservations(gymnasium.make("CartPole-v1"))) == message
