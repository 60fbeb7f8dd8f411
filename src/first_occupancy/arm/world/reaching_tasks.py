"""The tasks: where the brick lies, and whether coming near it pays."""

from typing import NamedTuple

from first_occupancy.core.errors import InputError

NUM_OBSERVATIONS = 55
NUM_ACTIONS = 9
EPISODE_STEPS = 250


class Task(NamedTuple):
    """A place (x, y) on the table for the brick, and whether reaching it is rewarded."""

    brick: tuple[float, float]
    pays: bool


TASKS = {
    "reach_top_left": Task((-0.09, 0.09), pays=True),
    "reach_top_right": Task((0.09, 0.09), pays=True),
    "reach_bottom_left": Task((-0.09, -0.09), pays=True),
    "reach_bottom_right": Task((0.09, -0.09), pays=True),
    "rewardless": Task((-0.09, 0.09), pays=False),
}
"""The four tasks, and the world to pre-train in: that of the first, without its reward."""


def task_named(caller: str, name: str) -> Task:
    """Return a task, or say which there are."""
    if name not in TASKS:
        raise InputError(f"{caller}: task must be one of {', '.join(TASKS)}, got {name!r}")
    return TASKS[name]
