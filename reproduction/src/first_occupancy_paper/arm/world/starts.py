"""How an episode starts: the hand partly open, above the table, pointing down.

The fingers close by a uniform fraction of their range. The tool centre (the pinch site) is uniform
in a box over the table, and inverse kinematics from random joint angles brings the arm there; poses
that touch something are rejected. The brick lies at the task's position, turned by a uniform angle.
dm-control's task draws its starts in the same way, but raises an error after ten rejected poses,
whereas we continue to draw.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from .mujoco_model import BRICK, HAND, Arm

TOOL_BOX = (np.array([-0.1, -0.1, 0.2]), np.array([0.1, 0.1, 0.4]))
DOWN = np.sqrt([0.0, 0.5, 0.5, 0.0])
BRICK_HEIGHT = 0.001
JOINT_GUESSES = 10

TOLERANCE = 1e-14
ROTATION_WEIGHT = 2.0
MAX_IK_STEPS = 100
MAX_IK_MOVE = 2.0
DAMPING, DAMPED_FROM = 3e-2 * np.eye(6), 0.1
STUCK = 20.0

Uniform = Callable[..., Any]
"""Draws uniformly between two bounds, by default 0 and 1; bounds may be arrays."""


def draw_start(
    arm: Arm, data: Any, uniform: Uniform, brick: tuple[float, float]
) -> Float[np.ndarray, " 16"]:
    """Return the positions of all joints at the start of an episode, before the brick settles.

    Args:
        arm: the loaded model.
        data: scratch space, an `MjData` of the model.
        uniform: source of all randomness.
        brick: position (x, y) of the brick on the table.
    """
    arm.mujoco.mj_resetData(arm.model, data)
    low, high = arm.finger_range
    data.qpos[arm.fingers] = low + (high - low) * uniform()
    resting = data.qpos[arm.joints].copy()
    while not (_move_tool(arm, data, uniform) and _is_free(arm, data)):
        data.qpos[arm.joints] = resting
    _place_brick(arm, data, uniform, brick)
    while _touches_brick(arm, data):
        _place_brick(arm, data, uniform, brick)
    return data.qpos.copy()


def _move_tool(arm: Arm, data: Any, uniform: Uniform) -> bool:
    """Draw a position for the tool centre and move the arm there; return whether that succeeded.

    Inverse kinematics starts from the current joint angles, then from uniform ones.
    """
    target = uniform(*TOOL_BOX)
    for _ in range(JOINT_GUESSES):
        if solve_joints(arm, data, target) and _unwind(arm, data):
            return True
        data.qpos[arm.joints] = uniform(arm.lower, arm.upper)
    return False


def solve_joints(arm: Arm, data: Any, target: Float[np.ndarray, " 3"]) -> bool:
    r"""Turn the arm's joints until the tool is at `target`, pointing down.

    Damped least squares (Buss, 2004): $(J^\top J + \lambda I)\, \Delta q = J^\top e$, with steps no
    longer than `MAX_IK_MOVE` and no damping close to the target. It gives up when steps become
    small relative to the error, as they do near a singular pose.

    Args:
        arm: the loaded model.
        data: an `MjData` of the model, whose joints are moved.
        target: position to reach.

    Returns:
        Whether the tool got there.
    """
    mujoco, jacobian = arm.mujoco, np.empty((6, arm.model.nv))
    for _ in range(MAX_IK_STEPS):
        mujoco.mj_kinematics(arm.model, data)
        mujoco.mj_comPos(arm.model, data)
        error = _tool_error(arm, data, target)
        size = mujoco.mju_norm3(error[:3]) + ROTATION_WEIGHT * mujoco.mju_norm3(error[3:])
        if size < TOLERANCE:
            return True
        mujoco.mj_jacSite(arm.model, data, jacobian[:3], jacobian[3:], arm.pinch)
        ours = jacobian[:, arm.joints]
        far = size > DAMPED_FROM
        move = _damped_step(arm, ours, error) if far else _plain_step(ours, error)
        length = mujoco.mju_norm(move)
        if size > STUCK * length:
            return False
        data.qpos[arm.joints] += move * min(1.0, MAX_IK_MOVE / length)
    return False


def _tool_error(arm: Arm, data: Any, target: Float[np.ndarray, " 3"]) -> Float[np.ndarray, " 6"]:
    """Return the displacement and the rotation vector from the tool's pose to the target's."""
    mujoco, error, turn = arm.mujoco, np.empty(6), np.empty(4)
    mujoco.mju_sub3(error[:3], target, data.site_xpos[arm.pinch])
    mujoco.mju_mat2Quat(turn, data.site_xmat[arm.pinch])
    mujoco.mju_negQuat(turn, turn)
    mujoco.mju_mulQuat(turn, DOWN, turn)
    mujoco.mju_quat2Vel(error[3:], turn, 1)
    return error


def _damped_step(
    arm: Arm, jacobian: Float[np.ndarray, "6 6"], error: Float[np.ndarray, " 6"]
) -> Float[np.ndarray, " 6"]:
    """Return the joints' step of damped least squares."""
    # MuJoCo's factorisation, since most of a reset's time goes here: NumPy's takes thrice as long.
    square, step = jacobian.T @ jacobian + DAMPING, np.empty(6)
    arm.mujoco.mju_cholFactor(square, 0)
    arm.mujoco.mju_cholSolve(step, square, jacobian.T @ error)
    return step


def _plain_step(
    jacobian: Float[np.ndarray, "6 6"], error: Float[np.ndarray, " 6"]
) -> Float[np.ndarray, " 6"]:
    """Return the joints' step of least squares, the shortest if there are several."""
    return np.linalg.lstsq(jacobian.T @ jacobian, jacobian.T @ error, rcond=-1)[0]


def _unwind(arm: Arm, data: Any) -> bool:
    """Bring the joints into their ranges by whole turns; return whether that is possible."""
    joints = data.qpos[arm.joints]
    joints = joints - 2 * np.pi * np.floor((joints - arm.lower) / (2 * np.pi))
    data.qpos[arm.joints] = joints
    return bool((joints <= arm.upper).all())


def _is_free(arm: Arm, data: Any) -> bool:
    """Return whether arm and hand touch neither each other nor the scene, the brick aside."""
    kinds = _touching(arm, data)
    ignored = (kinds == BRICK).any(axis=-1) | (kinds == HAND).all(axis=-1)
    return bool(ignored.all())


def _touches_brick(arm: Arm, data: Any) -> bool:
    """Return whether anything touches the brick."""
    return bool((_touching(arm, data) == BRICK).any())


def _touching(arm: Arm, data: Any) -> np.ndarray:
    """Return the owners of both geoms of every contact."""
    arm.mujoco.mj_fwdPosition(arm.model, data)
    contact = data.contact
    return arm.kinds[contact.geom[contact.dist <= 0]]


def _place_brick(arm: Arm, data: Any, uniform: Uniform, place: tuple[float, float]) -> None:
    """Put the brick just above its position on the table, turned by a random angle."""
    half = uniform(-np.pi, np.pi) / 2
    data.qpos[arm.brick] = (*place, BRICK_HEIGHT, np.cos(half), 0.0, 0.0, np.sin(half))
