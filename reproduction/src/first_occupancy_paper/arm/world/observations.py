"""Observations and rewards, computed from MuJoCo's quantities."""

import numpy as np
from jaxtyping import Float, Float32

TARGET_RADIUS = 0.05
REWARD_AT_MARGIN = 0.1


def observe(
    joints: Float[np.ndarray, "B 6"],
    torques: Float[np.ndarray, "B 6"],
    joint_velocities: Float[np.ndarray, "B 6"],
    fingers: Float[np.ndarray, "B 3"],
    finger_velocities: Float[np.ndarray, "B 3"],
    pinch_position: Float[np.ndarray, "B 3"],
    pinch_rotation: Float[np.ndarray, "B 9"],
    brick: Float[np.ndarray, "B 13"],
) -> Float32[np.ndarray, "B 55"]:
    r"""Return the observations, in the order of dm-control's "perfect features".

    Args:
        joints: angles of the arm's joints, observed as pairs (sin, cos) since most turn freely.
        torques: torques at the arm's joints, observed as $\operatorname{sign}(x) \log(1 + |x|)$.
        joint_velocities: angular velocities of the arm's joints.
        fingers: angles of the fingers.
        finger_velocities: angular velocities of the fingers.
        pinch_position: position of the point between the fingers.
        pinch_rotation: its rotation matrix.
        brick: the brick's angular and linear velocity, orientation and position.
    """
    angles = np.stack([np.sin(joints), np.cos(joints)], axis=-1).reshape(len(joints), -1)
    parts = (
        angles,
        np.sign(torques) * np.log1p(np.abs(torques)),
        joint_velocities,
        fingers,
        finger_velocities,
        pinch_position,
        pinch_rotation,
        brick,
    )
    return np.concatenate(parts, axis=-1).astype(np.float32)


def reward(
    pinch_position: Float[np.ndarray, "B 3"], brick_position: Float[np.ndarray, "B 3"]
) -> Float32[np.ndarray, " B"]:
    r"""Return 1 within 5 cm of the brick, and $0.1^{((d - .05) / .05)^2}$ at distance $d$ beyond.

    Args:
        pinch_position: position of the point between the fingers.
        brick_position: position of the brick.
    """
    distance = np.linalg.norm(pinch_position - brick_position, axis=-1)
    beyond = np.maximum(distance - TARGET_RADIUS, 0) / TARGET_RADIUS
    return (REWARD_AT_MARGIN ** (beyond**2)).astype(np.float32)
