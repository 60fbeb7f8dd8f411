"""Worlds as text and as pixels, for Gymnasium's `render`, in plain NumPy."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, UInt8

from first_occupancy.environments import mountain_car

Picture = UInt8[np.ndarray, "height width 3"]

CELL = 24
"""Side of a cell in pixels."""

LINE, HILLS = 60, (360, 240)
"""Letters in the text, and width and height of the picture, of the car's track."""

WALL, FREE, GOAL, START = (60, 60, 70), (240, 240, 235), (120, 190, 120), (200, 210, 230)
AGENT, TRACK = (200, 70, 50), (90, 90, 100)


def grid_text(
    free: Bool[np.ndarray, "rows columns"],
    *,
    agent: tuple[int, int],
    goals: Sequence[tuple[int, int]] = (),
) -> str:
    """Return a maze as text: '@' agent, 'G' goal, '#' wall, '.' free.

    >>> print(grid_text(np.array([[True, True], [False, True]]), agent=(0, 1), goals=[(1, 1)]))
    .@
    #G
    """
    letters = np.where(free, ".", "#")
    for goal in goals:
        letters[goal] = "G"
    letters[agent] = "@"
    return "\n".join("".join(row) for row in letters)


def grid_picture(
    free: Bool[np.ndarray, "rows columns"],
    *,
    agent: tuple[int, int],
    goals: Sequence[tuple[int, int]] = (),
    start: tuple[int, int] | None = None,
) -> Picture:
    """Return a maze as pixels: walls dark, goals green, the agent a red disc."""
    colours = np.where(free[..., None], FREE, WALL).astype(np.uint8)
    if start is not None:
        colours[start] = START
    for goal in goals:
        colours[goal] = GOAL
    pixels = np.repeat(np.repeat(colours, CELL, axis=0), CELL, axis=1)
    row, column = agent
    _disc(pixels, (row + 0.5) * CELL, (column + 0.5) * CELL, CELL / 3, AGENT)
    return pixels


def row_text(num_states: int, *, agent: int) -> str:
    """Return the numbers of the states in a row, the agent's in brackets.

    >>> row_text(4, agent=2)
    ' 0  1 [2] 3 '
    """
    return "".join(f"[{s}]" if s == agent else f" {s} " for s in range(num_states))


def row_picture(num_states: int, *, agent: int) -> Picture:
    """Return the states as cells in a row, with lines between them."""
    pixels = grid_picture(np.ones((1, num_states), bool), agent=(0, agent))
    pixels[:, CELL::CELL] = WALL
    return pixels


def car_text(position: float, *, goal: float | None) -> str:
    """Return the track as a line from wall to wall: '@' car, '|' goal."""
    letters = ["_"] * LINE
    if goal is not None:
        letters[_column(goal, LINE)] = "|"
    letters[_column(position, LINE)] = "@"
    return "".join(letters)


def car_picture(position: float, *, goal: float | None) -> Picture:
    """Return the hills as pixels, with the car and a pole at the goal."""
    width, height = HILLS
    pixels = np.full((height, width, 3), FREE, np.uint8)
    places = np.linspace(mountain_car.LEFT_WALL, mountain_car.RIGHT_WALL, width)
    rows = _row(places, height)
    pixels[np.arange(height)[:, None] >= rows[None, :]] = TRACK
    if goal is not None:
        column = _column(goal, width)
        pixels[rows[column] - height // 8 : rows[column], column - 1 : column + 2] = GOAL
    centre = float(_row(np.array([position]), height)[0]) - 6
    _disc(pixels, centre, float(_column(position, width)), 6.0, AGENT)
    return pixels


def _column(position: float, width: int) -> int:
    share = (position - mountain_car.LEFT_WALL) / (mountain_car.RIGHT_WALL - mountain_car.LEFT_WALL)
    return int(np.clip(round(share * (width - 1)), 0, width - 1))


def _row(positions: Float[np.ndarray, " B"], height: int) -> np.ndarray:
    # Heights range from 0.1 to 1 in Gymnasium's units.
    return np.round((1.15 - np.asarray(mountain_car.height(positions))) * 0.9 * height).astype(int)


def _disc(
    pixels: Picture, row: float, column: float, radius: float, colour: tuple[int, int, int]
) -> None:
    rows, columns = np.ogrid[: pixels.shape[0], : pixels.shape[1]]
    inside = (rows + 0.5 - row) ** 2 + (columns + 0.5 - column) ** 2 <= radius**2
    pixels[inside] = colour
