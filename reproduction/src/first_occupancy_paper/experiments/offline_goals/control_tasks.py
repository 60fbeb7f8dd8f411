"""Goals in Pendulum, MountainCar and Acrobot: skills, regions, and the grids beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Array, Bool, Float

from first_occupancy_paper.experiments.offline_goals.fine_grids import FineGrid, Region
from first_occupancy_paper.worlds.classic_control import (
    ACROBOT,
    MOUNTAIN_CAR,
    PENDULUM,
    ClassicControl,
    tip_height,
)

BAND, SLOW = 0.2, 1.0
"""A pendulum is upright within this angle, in radians, at no more than this speed."""

TIP = 1.0
"""The tip of an acrobot has to be so far above its pivot, as in Gymnasium."""

EPISODES, LANDMARKS = 3000, 4000
"""Episodes and landmarks for each number of a state."""

BOXES = 10
"""Boxes of MountainCar along each of position and velocity."""


@dataclass(frozen=True)
class ControlTask:
    """A world, simple skills, regions to reach, and a grid for value iteration.

    Attributes:
        world: world to act in.
        skills: fixed policies, functions from observations to actions.
        regions: goals.
        grid: nodes of the grid in each number of a state.
        grid_actions: actions that value iteration chooses from.
        grid_span: highest node in each number; the lowest is its negative. None for the whole
            range of states.
        num_steps: steps of each episode in which the skills are tried out.
        hold: steps for which plans hold a skill.
        lookahead: moves that the agent looks ahead.
        max_steps: steps after which a goal counts as never reached.
    """

    world: ClassicControl
    skills: Sequence[Any]
    regions: Sequence[Region]
    grid: tuple[int, ...]
    grid_actions: tuple[float, ...]
    grid_span: tuple[float, ...] | None = None
    num_steps: int = 100
    hold: int = 5
    lookahead: int = 3
    max_steps: int = 300

    @property
    def num_episodes(self) -> int:
        """Episodes in which the skills are tried out."""
        return EPISODES * len(self.grid)

    @property
    def num_landmarks(self) -> int:
        """Number of landmarks."""
        return LANDMARKS * len(self.grid)

    def fine_grid(self, coarser: float = 1.0) -> FineGrid:
        """Return the grid, or one with so many times fewer nodes along each axis."""
        shape = tuple(round(size / coarser) for size in self.grid)
        low, high = np.array(self.world.low), np.array(self.world.high)
        if self.grid_span is not None:
            low, high = -np.array(self.grid_span), np.array(self.grid_span)
        return FineGrid(self.world, shape, self.grid_actions, low, high)


def constant(observations: Float[np.ndarray, "B O"], action: float) -> Float[np.ndarray, " B"]:
    """Return the same action whatever is observed."""
    return np.full(len(observations), action)


def along(
    observations: Float[np.ndarray, "B O"], number: int, action: float
) -> Float[np.ndarray, " B"]:
    """Return an action with the sign of a number of the observation: pumping, or braking.

    Args:
        observations: observations.
        number: the number whose sign counts, such as a velocity.
        action: action where it is positive.
    """
    return action * np.sign(observations[:, number])


def upright(observations: Float[Array | np.ndarray, "B 3"]) -> Bool[Array | np.ndarray, " B"]:
    """Return whether pendulums are nearly upright, and slow."""
    return (observations[:, 0] >= np.cos(BAND)) & (abs(observations[:, 2]) <= SLOW)


def tip_up(observations: Float[Array | np.ndarray, "B 6"]) -> Bool[Array | np.ndarray, " B"]:
    """Return whether the tips of acrobots are high enough."""
    return tip_height(observations) > TIP


def in_box(
    observations: Float[Array | np.ndarray, "B O"], low: tuple[float, ...], high: tuple[float, ...]
) -> Bool[Array | np.ndarray, " B"]:
    """Return whether observations lie in a box, its lower faces included."""
    inside: Any = (observations >= np.array([low])) & (observations < np.array([high]))
    return inside.all(axis=1)


def boxes(world: ClassicControl, each: int) -> list[Region]:
    """Return the boxes of a regular grid over the range of states.

    Args:
        world: world whose observations are its states.
        each: number of boxes along each axis.
    """
    ends = zip(world.low, world.high, strict=True)
    # States are in single precision: so are edges, or NumPy and JAX would round differently.
    axes = [np.linspace(low, high, each + 1).astype(np.float32) for low, high in ends]
    for axis in axes:  # The last box of an axis includes the end of the range.
        axis[-1] = np.nextafter(axis[-1], np.float32(np.inf))
    columns, rows = (list(pairwise(axis.tolist())) for axis in axes)
    return [
        partial(in_box, low=(left, bottom), high=(right, top))
        for left, right in columns
        for bottom, top in rows
    ]


def _constants(*actions: float) -> list[Any]:
    return [partial(constant, action=each) for each in actions]


CONTROL_TASKS = {
    "pendulum": ControlTask(
        PENDULUM,
        _constants(-2.0, 0.0, 2.0),
        [upright],
        grid=(321, 321),
        grid_actions=tuple(np.linspace(-2, 2, 9).tolist()),
    ),
    "mountain car": ControlTask(
        MOUNTAIN_CAR,
        [*_constants(-1.0, 0.0, 1.0), partial(along, number=1, action=1.0)],
        boxes(MOUNTAIN_CAR, BOXES),
        grid=(241, 241),
        grid_actions=(-1.0, -0.5, 0.0, 0.5, 1.0),
        num_steps=200,
    ),
    "acrobot": ControlTask(
        ACROBOT,
        [
            *_constants(-1.0, 0.0, 1.0),
            partial(along, number=5, action=1.0),
            partial(along, number=4, action=-1.0),
        ],
        [tip_up],
        grid=(129, 129, 145, 145),  # needs a GPU
        grid_actions=(-1.0, 0.0, 1.0),
        grid_span=(np.pi, np.pi, 7.0, 11.0),
    ),
}
