"""Trajectories through mazes: lines from cell to cell, on which repeated visits can be seen."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Float, Int
from matplotlib.axes import Axes

from first_occupancy.core.errors import check_index
from first_occupancy.environments.mazes import Maze
from first_occupancy.plotting import _cells, style

TURN = 0.1
"""How far each further visit to a cell is drawn from the one before, in cells."""

SLANT = 0.6
"""How far down a line is moved for each bit to the right: not 1, or diagonals would still meet."""

DOTTED_FROM = 4
"""Points from which each visit to a cell has a dot; in smaller cells dots would run together."""

DASHES = (0, (2, 1.5))


def trajectory(
    ax: Axes,
    maze: Maze,
    states: Sequence[int] | Int[ArrayLike, " T"],
    *,
    colour: str = style.FR,
    label: str | None = None,
    offset: tuple[float, float] = (0.0, 0.0),
    dashed: bool = False,
) -> Axes:
    """Return the Axes with a line through some states, from a ring to a square.

    Each further visit to a cell is drawn a little aside, so that loops, waiting and bumps show as
    more dots.

    Args:
        offset: how far to move the whole line (x, y), in cells, to tell several apart.
        dashed: whether the line is dashed, for jumps between cells that no move connects.
    """
    states = np.asarray(states, dtype=int)
    if len(states) == 0:
        return ax
    for end in (states.min(), states.max()):
        check_index("trajectory", "state", end, maze.num_states)
    aside = TURN * np.minimum(_earlier_visits(states), 2)
    y, x = maze.cells[states].T
    x, y = x + aside + offset[0], y + SLANT * aside + offset[1]
    if _cells.cell_points(ax, maze) < DOTTED_FROM:
        return draw_line(ax, x, y, colour=colour, label=label, dashed=dashed)
    line = {"linestyle": DASHES if dashed else "-", "linewidth": style.LINE}
    ax.plot(x, y, color=colour, label=label, zorder=3, marker="o", markersize=1.8, **line)
    ends = {"color": colour, "linestyle": "none", "zorder": 3.5}
    ax.plot(x[0], y[0], "o", markersize=4.5, markerfacecolor="white", **ends)
    ax.plot(x[-1], y[-1], "s", markersize=4, **ends)
    return ax


def draw_line(
    ax: Axes,
    x: Float[np.ndarray, " T"],
    y: Float[np.ndarray, " T"],
    *,
    colour: str,
    label: str | None = None,
    dashed: bool = False,
) -> Axes:
    """Return the Axes with a line that stands out from small cells, by a white rim."""
    ax.plot(x, y, color="white", linewidth=2.2 * style.LINE, zorder=2.5, solid_capstyle="round")
    line = {"linestyle": DASHES if dashed else "-", "linewidth": 1.5 * style.LINE}
    ax.plot(x, y, color=colour, label=label, zorder=3, **line)
    return ax


def _earlier_visits(states: Int[np.ndarray, " T"]) -> Int[np.ndarray, " T"]:
    """Return how often each state was visited before."""
    order = np.argsort(states, kind="stable")
    places = np.arange(len(states))
    is_first = np.append(True, np.diff(states[order]) != 0)
    visits = np.empty_like(places)
    visits[order] = places - np.maximum.accumulate(np.where(is_first, places, 0))
    return visits


def trajectories(
    ax: Axes,
    maze: Maze,
    paths: Sequence[Sequence[int] | Int[ArrayLike, " T"]],
    *,
    labels: Sequence[str] | None = None,
) -> Axes:
    """Return the Axes with several trajectories, each in a colour and in a lane of its own.

    Args:
        ax: where to draw, with the maze on it.
        maze: maze that is drawn there.
        paths: the states of each trajectory, in the order of the visits.
        labels: their names in a legend.
    """
    lanes = np.linspace(-0.25, 0.25, len(paths)) if len(paths) > 1 else np.zeros(len(paths))
    for number, (path, lane) in enumerate(zip(paths, lanes, strict=True)):
        trajectory(
            ax,
            maze,
            path,
            colour=style.colour(number),
            label=None if labels is None else labels[number],
            offset=(float(lane), SLANT * float(lane)),
        )
    return ax
