"""The arm's MuJoCo model, and the indices of its parts in MuJoCo's arrays.

Indices are looked up by name, so a model exported again cannot silently swap two joints.
"""

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError
from first_occupancy_paper.extras import extra_command

MODEL = Path(__file__).parent / "model" / "jaco.xml"

ARM_JOINTS = tuple(f"jaco_arm/joint_{i}" for i in range(1, 7))
FINGER_JOINTS = tuple(f"jaco_arm/jaco_hand/finger_{i}" for i in range(1, 4))
BRICK_SENSES = ("angular_velocity", "linear_velocity", "orientation", "position")

WORLD, ARM, HAND, BRICK = range(4)
"""The part of the scene that a geom belongs to; see `Arm.kinds`."""


def simulator(caller: str) -> ModuleType:
    """Return MuJoCo, or raise an error that names `caller` and says how to install it.

    It is imported here because the rest of the library works without it.
    """
    try:
        import_module("mujoco.batch")  # new in 3.17
        return import_module("mujoco")
    except ImportError as error:
        raise InputError(
            f"{caller}: needs MuJoCo 3.17 or later: {extra_command('robotics')}"
        ) from error
    except (AttributeError, OSError, RuntimeError) as error:  # PyOpenGL's, for example
        way = os.environ.get("MUJOCO_GL", "")
        raise InputError(
            f"{caller}: MuJoCo does not start with MUJOCO_GL={way!r}: {error}"
        ) from error


@dataclass(frozen=True, eq=False)
class Arm:
    """A loaded model: six arm joints, three fingers and a free brick.

    Joints of arm and hand have the same index in positions (`qpos`) and velocities (`qvel`).

    Attributes:
        mujoco: the simulator that loaded the model.
        model: MuJoCo's model, an `MjModel`.
        joints: indices of the arm's joints in `qpos`.
        fingers: indices of the fingers in `qpos`.
        brick: indices of the brick's position and orientation in `qpos`.
        brick_velocity: indices of the brick's velocity in `qvel`.
        pinch: index of the site between the fingers.
        brick_body: index of the brick's body.
        torques: indices of the torques at the arm's joints in `sensordata`.
        brick_senses: indices of the brick's sensors in `sensordata`, ordered as `BRICK_SENSES`.
        lower: lower limits of the arm's joints; 0 for joints without limits.
        upper: upper limits of the arm's joints; a whole turn for joints without limits.
        finger_range: lower and upper limit of the fingers' joints.
        action_limits: largest control of each actuator.
        kinds: the part of the scene that each geom belongs to: `WORLD`, `ARM`, `HAND` or `BRICK`.
    """

    mujoco: ModuleType
    model: Any
    joints: Int[np.ndarray, " 6"]
    fingers: Int[np.ndarray, " 3"]
    brick: Int[np.ndarray, " 7"]
    brick_velocity: Int[np.ndarray, " 6"]
    pinch: int
    brick_body: int
    torques: Int[np.ndarray, " 6"]
    brick_senses: Int[np.ndarray, " 13"]
    lower: Float[np.ndarray, " 6"]
    upper: Float[np.ndarray, " 6"]
    finger_range: tuple[float, float]
    action_limits: Float[np.ndarray, " 9"]
    kinds: Int[np.ndarray, " geoms"]


def load(caller: str) -> Arm:
    """Return the arm that ships with this package; errors name `caller`."""
    mujoco = simulator(caller)
    model = mujoco.MjModel.from_xml_path(str(MODEL))
    joints = [model.joint(name) for name in ARM_JOINTS]
    brick = model.joint("duplo2x4/")
    limited = [bool(joint.limited[0]) for joint in joints]
    ranges = np.stack([joint.range for joint in joints])
    return Arm(
        mujoco=mujoco,
        model=model,
        joints=_places(joints, "qposadr"),
        fingers=_places([model.joint(name) for name in FINGER_JOINTS], "qposadr"),
        brick=brick.qposadr[0] + np.arange(7),
        brick_velocity=brick.dofadr[0] + np.arange(6),
        pinch=model.site("jaco_arm/jaco_hand/pinchsite").id,
        brick_body=model.body("duplo2x4/").id,
        # A joint turns about its z axis, the third component of its torque.
        torques=_places([model.sensor(f"{name}_torque") for name in ARM_JOINTS], "adr") + 2,
        brick_senses=np.concatenate([_span(model.sensor(f"duplo2x4/{s}")) for s in BRICK_SENSES]),
        lower=np.where(limited, ranges[:, 0], 0.0),
        upper=np.where(limited, ranges[:, 1], 2 * np.pi),
        finger_range=tuple(model.joint(FINGER_JOINTS[0]).range.tolist()),
        action_limits=model.actuator_ctrlrange[:, 1].copy(),
        kinds=np.array([_kind(model.geom(i).name) for i in range(model.ngeom)]),
    )


def _places(parts: list, address: str) -> Int[np.ndarray, " parts"]:
    """Return the first index of each part."""
    return np.array([getattr(part, address)[0] for part in parts], dtype=int)


def _span(sensor: Any) -> Int[np.ndarray, " numbers"]:
    """Return all indices of a sensor."""
    return sensor.adr[0] + np.arange(sensor.dim[0])


def _kind(geom: str) -> int:
    """Return the owner of a geom, which is the prefix of its name in dm-control."""
    owners = {"jaco_arm/jaco_hand/": HAND, "jaco_arm/": ARM, "duplo2x4/": BRICK}
    return next((kind for prefix, kind in owners.items() if geom.startswith(prefix)), WORLD)
