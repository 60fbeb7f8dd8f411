"""OGBench's ant mazes: the physics of their models, and agents that act in them by commands.

The models come from the installed package; nothing of it is copied.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.interop.extras import gymnasium, optional
from first_occupancy_paper.extras import extra_command
from first_occupancy_paper.worlds.ant_mazes import Controls, headings

MAX_STEPS = 1000
"""Steps after which an episode has failed, as in OGBench."""


def ant_maze(name: str) -> Any:
    """Return OGBench's environment of an ant in a maze, which ends at the goal.

    Args:
        name: name of the maze: medium, large, giant or teleport.

    Raises:
        InputError: if OGBench is not installed, or has no such maze.
    """
    for needed, package in (("Gymnasium", gymnasium), ("OGBench", optional("ogbench"))):
        if package is None:
            raise InputError(f"ant_maze: needs {needed}: {extra_command('ogbench')}")
    known = ("medium", "large", "giant", "teleport")
    if name not in known:
        raise InputError(f"ant_maze: name must be one of {', '.join(known)}, got {name!r}")
    return gymnasium.make(f"antmaze-{name}-v0")


def save_ant_maze(name: str, path: str | Path) -> None:
    """Write OGBench's ant in a maze as a model file, for `AntBatch`.

    Args:
        name: name of the maze.
        path: path of the file, ending in `.xml`.

    Raises:
        InputError: if OGBench is not installed, or has no such maze.
    """
    model = ant_maze(name).unwrapped.model
    import_module("mujoco").mj_saveLastXML(str(path), model)


def walked_to(
    environment: Any, observation: Any, agent: Any, controls: Controls, *, hold: int
) -> int:
    """Return after how many steps an episode of OGBench succeeded; -1 if it did not.

    Args:
        environment: an ant maze, just reset.
        observation: its first observation.
        agent: agent whose `predict` gives a direction every `hold` steps.
        controls: low level that walks as commanded, such as `Walker.controls`.
        hold: steps for which a direction is held.
    """
    command = np.zeros((1, 2))
    for time in range(MAX_STEPS):
        seen = np.asarray(observation, np.float64)
        if time % hold == 0:
            command = headings(np.asarray(agent.predict(seen[:2])[0], np.float64)[None])
        torques = controls(seen[None, :15], seen[None, 15:], command)[0]
        observation, _, terminated, truncated, info = environment.step(torques)
        if info["success"]:
            return time + 1
        if terminated or truncated:
            break
    return -1
