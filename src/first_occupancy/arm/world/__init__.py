"""The Jaco arm, which reaches for a brick: dm-control's task in plain MuJoCo (Fig. "apf").

Observations and rewards are those of dm-control for the same state and actions, many
environments at a time. MuJoCo comes with the extra: pip install 'first-occupancy[robotics]'.
`gym` registers the tasks with Gymnasium.
"""

from first_occupancy.arm.world.camera import Camera, picture_strip
from first_occupancy.arm.world.jaco_batch import JacoBatch
from first_occupancy.arm.world.reaching_tasks import (
    EPISODE_STEPS,
    NUM_ACTIONS,
    NUM_OBSERVATIONS,
    TASKS,
)

__all__ = [
    "EPISODE_STEPS",
    "NUM_ACTIONS",
    "NUM_OBSERVATIONS",
    "TASKS",
    "Camera",
    "JacoBatch",
    "picture_strip",
]
