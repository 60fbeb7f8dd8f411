"""The Jaco arm reaching for a brick: dm-control's task in plain MuJoCo (Fig. "apf").

Observations and rewards equal dm-control's for the same state and actions; many environments are
simulated at a time. MuJoCo comes with the extra `robotics`.

| looking for | module |
| --- | --- |
| many arms in lockstep | `jaco_batch` |
| the tasks, and the sizes of observations and actions | `reaching_tasks` |
| what the arm observes, and its reward | `observations` |
| how an episode starts | `starts` |
| pictures | `camera` |
| MuJoCo's model, and where it came from | `mujoco_model`, `model_export` |
"""

from .camera import Camera
from .jaco_batch import JacoBatch
from .reaching_tasks import EPISODE_STEPS, NUM_ACTIONS, NUM_OBSERVATIONS, TASKS

__all__ = [
    "EPISODE_STEPS",
    "NUM_ACTIONS",
    "NUM_OBSERVATIONS",
    "TASKS",
    "Camera",
    "JacoBatch",
]
