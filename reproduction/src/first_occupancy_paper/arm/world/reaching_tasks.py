"""The tasks: the brick's position, and whether reaching it is rewarded."""

from typing import NamedTuple

NUM_OBSERVATIONS = 55
NUM_ACTIONS = 9
EPISODE_STEPS = 250


class ReachingTask(NamedTuple):
    """One of the tasks.

    Attributes:
        brick: position (x, y) of the brick on the table, in metres.
        pays: whether reaching the brick is rewarded.
    """

    brick: tuple[float, float]
    pays: bool


TASKS = {
    "reach_top_left": ReachingTask((-0.09, 0.09), pays=True),
    "reach_top_right": ReachingTask((0.09, 0.09), pays=True),
    "reach_bottom_left": ReachingTask((-0.09, -0.09), pays=True),
    "reach_bottom_right": ReachingTask((0.09, -0.09), pays=True),
    "rewardless": ReachingTask((-0.09, 0.09), pays=False),
}
"""The four tasks, and the world of pre-training, which is the first task without its reward."""
