"""Mazes drawn cell by cell, and what belongs to their states drawn onto them.

A cell's centre is at x = column, y = row, with y pointing down as in the drawing.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Float, Int
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, QuadMesh
from matplotlib.colors import Normalize, to_rgba
from matplotlib.patches import Circle, Rectangle

from first_occupancy.core.errors import InputError, check_index
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.plans import NOTHING, Plan
from first_occupancy.plotting import style

ARROW_LENGTH = 0.62
MARK_RADIUS = 0.38
TURN = 0.1
"""How far each further visit to a cell is drawn from the one before, in cells."""

SLANT = 0.6
"""How far down a line is moved for each bit to the right: not 1, or diagonals would still meet."""


# All in cells, so that arrows fit whatever the size of the figure.
_ARROWS: dict[str, Any] = {
    "pivot": "middle",
    "angles": "xy",
    "scale_units": "xy",
    "scale": 1,
    "units": "xy",
    "width": 0.055,
    "headwidth": 4.5,
    "headlength": 4.5,
    "headaxislength": 4,
}


def draw_world(ax: Axes, maze: Maze) -> Axes:
    """Return the Axes with the maze's floor and walls, without ticks."""
    floor = maze.floor
    for chosen, face, edge in (
        (floor, style.FLOOR, style.CELL_EDGE),
        (~floor, style.WALL, style.WALL),
    ):
        squares = [Rectangle((c - 0.5, r - 0.5), 1, 1) for r, c in np.argwhere(chosen)]
        ax.add_collection(
            PatchCollection(squares, facecolor=face, edgecolor=edge, linewidth=0.4, zorder=0.5)
        )
    rows, columns = maze.free.shape
    ax.set(
        xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal", xticks=[], yticks=[]
    )
    ax.spines[:].set_visible(False)
    return ax


def number_axes(ax: Axes, maze: Maze) -> Axes:
    """Return the Axes with row and column numbers, to look up a cell's (row, column)."""
    rows, columns = maze.free.shape
    ax.set(xticks=range(columns), yticks=range(rows))
    ax.set_xlabel("column", fontsize=style.TEXT)
    ax.set_ylabel("row", fontsize=style.TEXT)
    ax.tick_params(labelsize=style.TEXT, length=0)
    return ax


def mark_start_and_goals(
    ax: Axes, maze: Maze, *, start: int | None = None, goals: Sequence[int] | None = None
) -> Axes:
    """Return the Axes with an S on the start and a G on each goal; by default the maze's own."""
    start = maze.start if start is None else start
    goals = maze.goals if goals is None else goals
    if start is not None:
        mark_cells(ax, maze, [start], texts=["S"], colours=[style.START])
    return mark_cells(ax, maze, goals, texts=["G"] * len(goals), colours=[style.GOAL] * len(goals))


def mark_cells(
    ax: Axes,
    maze: Maze,
    states: Sequence[int],
    *,
    texts: Sequence[str] | None = None,
    colours: Sequence[str] | None = None,
) -> Axes:
    """Return the Axes with a disc on each of the states, numbered from 1 in their order.

    `texts` replaces the numbers and `colours` the cycle of the policies.
    """
    texts = [str(number + 1) for number in range(len(states))] if texts is None else texts
    colours = [style.colour(n) for n in range(len(states))] if colours is None else colours
    size = float(np.clip(0.55 * _cell_points(ax, maze), 4.5, style.TEXT))
    for state, text, face in zip(states, texts, colours, strict=True):
        row, column = maze.cell(int(state))
        disc = Circle(
            (column, row), MARK_RADIUS, facecolor=face, edgecolor=style.INK, linewidth=0.5, zorder=4
        )
        ax.add_patch(disc)
        _write(ax, (row, column), text, size, _readable_on(to_rgba(face)))
    return ax


def heat_map(
    ax: Axes,
    maze: Maze,
    values: Float[ArrayLike, " S"],
    *,
    label: str | None = None,
    norm: Normalize | None = None,
    colour_map: str = style.HEAT,
    number_format: str | None = None,
) -> Axes:
    """Return the Axes with the maze, each cell coloured by its state's value.

    A `label` adds a colour bar; panels that share a `norm` need only one. NaN leaves a cell
    blank, as does 0 under a `LogNorm`. `number_format`, as in "{:.2f}", writes the values
    into the cells, which suits small worlds.
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (maze.num_states,):
        raise InputError(
            f"heat_map: values must have shape [S] = ({maze.num_states},), got {values.shape}"
        )
    draw_world(ax, maze)
    rows, columns = maze.free.shape
    mesh = ax.pcolormesh(
        np.arange(columns + 1) - 0.5,
        np.arange(rows + 1) - 0.5,
        np.ma.masked_invalid(np.where(maze.floor, maze.on_grid(values), np.nan)),
        norm=norm,
        cmap=colour_map,
        # Edges in the cells' own colour close the hairlines that PDF viewers show.
        edgecolors="face",
        linewidth=0.2,
        zorder=1,
    )
    if label is not None:
        _colour_bar(ax, mesh, label)
    if number_format is not None:
        _write_values(ax, maze, values, mesh, number_format)
    return ax


def policy_arrows(
    ax: Axes,
    maze: Maze,
    actions: Int[ArrayLike, " S"],
    *,
    colours: Sequence[str] | None = None,
) -> Axes:
    """Return the Axes with an arrow in each cell, pointing where its action moves; -1 draws none.

    `colours` has one entry for each move. A move that stays is a dot.
    """
    actions = np.asarray(actions)
    if actions.shape != (maze.num_states,) or not set(actions) <= {*range(-1, maze.num_actions)}:
        raise InputError(
            f"policy_arrows: actions must be {maze.num_states} numbers "
            f"in -1..{maze.num_actions - 1}, got {actions}"
        )
    colours = [style.FAINT] * maze.num_actions if colours is None else colours
    for action, (_, step) in enumerate(maze.moves):
        rows, columns = maze.cells[actions == action].T
        length = np.hypot(*step)
        if length == 0:
            ax.plot(columns, rows, ".", color=colours[action], markersize=3, zorder=2)
        elif len(rows):
            down, right = np.outer(ARROW_LENGTH * np.array(step) / length, np.ones(len(rows)))
            ax.quiver(columns, rows, right, down, color=colours[action], zorder=2, **_ARROWS)
    return ax


def subgoals(ax: Axes, maze: Maze, plan: Plan) -> Axes:
    """Return the Axes with each state's subgoal written as (row, column) into its cell.

    For small worlds (Fig. "simple_planning_output"); `number_axes` tells where they are. In
    larger ones use `mark_cells` for the subgoals of one unrolled plan. A dash says that the
    goal cannot be reached.
    """
    chosen, policies = np.asarray(plan.subgoal), np.asarray(plan.policy)
    for state in range(maze.num_states):
        if state == int(plan.goal):
            mark_cells(ax, maze, [state], texts=["G"], colours=[style.GOAL])
        elif chosen[state] == NOTHING or policies[state] == NOTHING:
            _write_inside(ax, maze, state, "–", style.INK)
        else:
            there = maze.cell(int(chosen[state]))
            _write_inside(ax, maze, state, f"({there[0]}, {there[1]})", style.INK)
    return ax


def trajectory(
    ax: Axes,
    maze: Maze,
    states: Sequence[int] | Int[ArrayLike, " T"],
    *,
    colour: str = style.FR,
    label: str | None = None,
    offset: tuple[float, float] = (0.0, 0.0),
) -> Axes:
    """Return the Axes with a line through the states, from a ring to a square.

    Each further visit to a cell is drawn a little aside, so that loops, waiting and bumps
    show as more dots. `offset` moves the whole line (x, y), for several in one world.
    """
    states = np.asarray(states, dtype=int)
    if len(states) == 0:
        return ax
    for end in (states.min(), states.max()):
        check_index("trajectory", "state", end, maze.num_states)
    visits = [int((states[:time] == state).sum()) for time, state in enumerate(states)]
    aside = TURN * np.minimum(visits, 2)
    y, x = maze.cells[states].T
    x, y = x + aside + offset[0], y + SLANT * aside + offset[1]
    ax.plot(x, y, "-o", color=colour, label=label, linewidth=style.LINE, markersize=1.8, zorder=3)
    ends = {"color": colour, "linestyle": "none", "zorder": 3.5}
    ax.plot(x[0], y[0], "o", markersize=4.5, markerfacecolor="white", **ends)
    ax.plot(x[-1], y[-1], "s", markersize=4, **ends)
    return ax


def trajectories(
    ax: Axes,
    maze: Maze,
    paths: Sequence[Sequence[int] | Int[ArrayLike, " T"]],
    *,
    labels: Sequence[str] | None = None,
) -> Axes:
    """Return the Axes with many trajectories, each in its colour and its own lane of the cells."""
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


def _cell_points(ax: Axes, maze: Maze) -> float:
    """Return the size of a cell in points, a little low before the layout is done."""
    rows, columns = maze.free.shape
    figure = ax.get_figure(root=True)
    assert figure is not None
    width, height = figure.get_size_inches() * 72
    place = ax.get_position(original=True)
    return min(place.width * width / columns, place.height * height / rows)


def _write(ax: Axes, cell: tuple[int, int], text: str, size: float, colour: str) -> None:
    """Write a text centred on a cell, above everything else."""
    middle = {"ha": "center", "va": "center_baseline" if text.isalnum() else "center"}
    row, column = cell
    ax.text(column, row, text, fontsize=size, color=colour, zorder=5, **middle)


def _write_inside(ax: Axes, maze: Maze, state: int, text: str, colour: str) -> None:
    """Write a text into a state's cell, as large as fits."""
    size = 2.1 * _cell_points(ax, maze) / max(len(text), 1)
    _write(ax, maze.cell(state), text, float(np.clip(size, 4, style.SMALL)), colour)


def _write_values(
    ax: Axes, maze: Maze, values: np.ndarray, mesh: QuadMesh, number_format: str
) -> None:
    """Write each state's value into its cell, dark on light and light on dark."""
    for state, (value, face) in enumerate(zip(values, mesh.to_rgba(values), strict=True)):
        if np.isfinite(value):
            _write_inside(ax, maze, state, number_format.format(value), _readable_on(face))


def _readable_on(face: Sequence[float] | np.ndarray) -> str:
    """Return black or white, whichever stands out from a colour."""
    red, green, blue, alpha = face
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    return style.INK if alpha * light + 1 - alpha > 0.5 else "white"


def _colour_bar(ax: Axes, mesh: QuadMesh, label: str) -> None:
    figure = ax.get_figure()
    assert figure is not None
    bar = figure.colorbar(mesh, ax=ax, shrink=0.85, aspect=18, pad=0.02)
    bar.set_label(label, fontsize=style.TEXT)
    bar.ax.tick_params(labelsize=style.TEXT, width=style.THIN, length=2.5)
    bar.outline.set_linewidth(style.THIN)
