"""MiniGrid with observations that identify the state: the agent's position and direction.

    environment = PoseObservations(SameGrid(gymnasium.make("MiniGrid-FourRooms-v0"), seed=0))
    states = KeyedStates(pose_key)

MiniGrid shows the agent only the cells in front of it, which look alike in many places. A pose,
(column, row, direction), identifies the state as long as nothing else in the grid changes, and
then only three actions matter: turn left, turn right, forward. Where doors open or objects are
carried, use `enumeration.copied_worlds.enumerate_copies`. MiniGrid draws a new grid at every reset;
`SameGrid` keeps one.
"""

import warnings
from typing import Any

import numpy as np
from jaxtyping import Int

from first_occupancy.core.errors import InputError
from first_occupancy.interop.extras import Wrapper, gymnasium, require

NUM_DIRECTIONS = 4
"""Right, down, left, up, in MiniGrid's order."""

CHANGING = {"ball", "box", "door", "key"}
"""Kinds of objects that actions can move or change."""

NUM_MOVES = 3
"""Turn left, turn right, forward: the first of MiniGrid's actions."""


class SameGrid(Wrapper):
    """An environment whose episodes all begin like `reset(seed=seed)`.

    Args:
        environment: Gymnasium environment.
        seed: seed of every episode.
    """

    def __init__(self, environment: Any, *, seed: int) -> None:
        require("SameGrid", gymnasium, "Gymnasium", "interop")
        super().__init__(environment)
        self._seed = seed

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the first observation and info, always with the seed of the constructor.

        Args:
            seed: ignored.
            options: passed to the environment.
        """
        del seed
        return self.env.reset(seed=self._seed, options=options)


class PoseObservations(Wrapper):
    """MiniGrid with observations (column, row, direction) and the three moves as actions."""

    def __init__(self, environment: Any) -> None:
        require(type(self).__name__, gymnasium, "Gymnasium", "interop")
        bare = environment.unwrapped
        if not all(hasattr(bare, name) for name in ("agent_pos", "agent_dir", "grid")):
            raise InputError(
                f"{type(self).__name__}: needs a MiniGrid environment, got {type(bare).__name__}"
            )
        super().__init__(environment)
        self.observation_space = self._space()
        self.action_space = self._actions()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the first pose and info.

        Args:
            seed: passed to the environment.
            options: passed to the environment.
        """
        _, info = self.env.reset(seed=seed, options=options)
        self._check_poses_suffice()
        return self._seen(), info

    def _check_poses_suffice(self) -> None:
        """Warn if the grid holds something that poses do not tell."""
        kinds = {thing.type for thing in self.env.unwrapped.grid.grid if thing is not None}
        changing = sorted(kinds & CHANGING)
        if changing:
            warnings.warn(
                f"PoseObservations: the grid has {' and '.join(changing)}, of which poses tell "
                "nothing, so that no plan can use them; use "
                "enumeration.copied_worlds.enumerate_copies",
                stacklevel=3,
            )

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return the result of the environment's step, with the pose as observation."""
        _, reward, terminated, truncated, info = self.env.step(action)
        return self._seen(), float(reward), terminated, truncated, info

    def _space(self) -> Any:
        bare = self.env.unwrapped
        return gymnasium.spaces.MultiDiscrete([bare.width, bare.height, NUM_DIRECTIONS])

    def _actions(self) -> Any:
        return gymnasium.spaces.Discrete(NUM_MOVES)

    def _seen(self) -> Int[np.ndarray, " _"]:
        bare = self.env.unwrapped
        column, row = bare.agent_pos
        return np.array([column, row, bare.agent_dir], np.int64)


def pose_key(observation: Int[np.ndarray, " _"]) -> tuple[int, int, int]:
    """Return (column, row, direction), for observations of the wrapper."""
    column, row, direction = (int(number) for number in observation[:3])
    return column, row, direction
