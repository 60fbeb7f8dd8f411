"""What the arm says to those who lack something, and what needs no simulator."""

import sys

import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.world import JacoBatch, camera, model_export
from first_occupancy_paper.arm.world.observations import observe, reward
from first_occupancy_paper.extras import extra_command

pytestmark = pytest.mark.usefixtures("as_users_run_it")

NEEDS = f"needs MuJoCo 3.17 or later: {extra_command('robotics')}"


def error_of(call, *arguments, **options):
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    return str(caught.value)


def test_without_mujoco_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco.batch", None)
    assert error_of(JacoBatch, "reach_top_left", seeds=[0]) == f"JacoBatch: {NEEDS}"
    assert error_of(camera.Camera) == f"Camera: {NEEDS}"


def test_without_dm_control_one_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "dm_control.manipulation", None)
    assert error_of(model_export.export, tmp_path / "model") == (
        "export: needs dm-control, which builds the model: "
        "pip install 'dm-control==1.0.50' 'mujoco==3.17.0'"
    )
    assert not (tmp_path / "model").exists()


def test_an_unknown_task_names_the_known_ones():
    assert error_of(JacoBatch, "reach_middle", seeds=[0]) == (
        "JacoBatch: task must be one of reach_top_left, reach_top_right, reach_bottom_left, "
        "reach_bottom_right, rewardless, got 'reach_middle'"
    )


@pytest.mark.parametrize(
    ("seeds", "complaint"),
    [
        ([], "one or more numbers, got []"),
        ([-1], "whole numbers from 0, got [-1]"),
        ([0.5], "whole numbers from 0, got [0.5]"),
        ([2**64], f"whole numbers from 0, got [{2**64}]"),
    ],
)
def test_seeds_that_are_none(seeds, complaint):
    assert error_of(JacoBatch, "rewardless", seeds) == f"JacoBatch: seeds must be {complaint}"


def test_the_reward_is_one_near_the_brick_and_a_tenth_at_twice_that_distance():
    brick = np.zeros((4, 3))
    pinch = np.array([[0, 0, 0], [0.03, 0.04, 0], [0, 0.06, 0.08], [0, 0, 0.15]])
    assert reward(pinch, brick) == pytest.approx([1, 1, 0.1, 1e-4], rel=1e-5)


def test_observations_have_the_order_of_dm_control():
    angle, torque = np.pi / 6, np.expm1(2)
    observations = observe(
        joints=np.full((1, 6), angle),
        torques=np.array([[torque, -torque, 0, 0, 0, 0]]),
        joint_velocities=np.full((1, 6), 3.0),
        fingers=np.full((1, 3), 4.0),
        finger_velocities=np.full((1, 3), 5.0),
        pinch_position=np.full((1, 3), 6.0),
        pinch_rotation=np.full((1, 9), 7.0),
        brick=np.full((1, 13), 8.0),
    )
    expected = [0.5, 0.75**0.5] * 6 + [2, -2] + [0] * 4 + [3] * 6 + [4] * 3 + [5] * 3
    expected += [6] * 3 + [7] * 9 + [8] * 13
    assert observations.dtype == np.float32
    assert observations[0] == pytest.approx(expected, rel=1e-6)
