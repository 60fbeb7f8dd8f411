"""Mazes drawn cell by cell, and values, arrows and marks drawn onto their cells.

A cell's centre is at x = column, y = row, with y pointing down as in the drawing.

Large mazes stay readable and their files small: the cells become one image, one arrow stands for
a block of cells, and marks keep a size in points.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Bool, Float, Int
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import Normalize, to_rgba
from matplotlib.patches import Circle, Rectangle
from matplotlib.ticker import MaxNLocator

from first_occupancy.core.errors import InputError
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.plans import NOTHING, Plan
from first_occupancy.plotting import _cells, style

ARROW_LENGTH = 0.62
"""Length of an arrow, as a share of the cell or block of cells that it stands for."""

MARK_RADIUS, LEAST_RADIUS = 0.38, 4.5
"""Radius of a disc in cells, and in points where cells are too small for it to be seen."""

EDGED_FROM = 6
"""Points from which cells of a large maze have edges."""

MOST_TICKS = 30
"""Rows or columns up to which each has a number."""

# All in cells, so that arrows fit whatever the size of the figure.
_ARROWS: dict[str, Any] = {
    "pivot": "middle",
    "angles": "xy",
    "scale_units": "xy",
    "scale": 1,
    "units": "xy",
    "headwidth": 4.5,
    "headlength": 4.5,
    "headaxislength": 4,
}
_ARROW_WIDTH = 0.055


def draw_world(ax: Axes, maze: Maze) -> Axes:
    """Return the Axes with the maze's floor and walls, without ticks.

    Args:
        ax: where to draw.
        maze: maze to draw, with the walls that were added since it was made.
    """
    (_draw_as_image if _cells.is_large(maze) else _draw_squares)(ax, maze)
    _draw_costs(ax, maze)
    _draw_one_way_cells(ax, maze)
    rows, columns = maze.free.shape
    ax.set(
        xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal", xticks=[], yticks=[]
    )
    ax.spines[:].set_visible(False)
    return ax


def _draw_squares(ax: Axes, maze: Maze) -> None:
    floor = maze.floor
    for chosen, face, edge in (
        (floor, style.FLOOR, style.CELL_EDGE),
        (~floor, style.WALL, style.WALL),
    ):
        squares = [Rectangle((c - 0.5, r - 0.5), 1, 1) for r, c in np.argwhere(chosen)]
        ax.add_collection(
            PatchCollection(squares, facecolor=face, edgecolor=edge, linewidth=0.4, zorder=0.5)
        )


def _draw_as_image(ax: Axes, maze: Maze) -> None:
    rows, columns = maze.free.shape
    frame = (-0.5, -0.5), columns, rows
    ax.add_patch(Rectangle(*frame, facecolor=style.FLOOR, edgecolor="none", zorder=0.4))
    if _cells.cell_points(ax, maze) >= EDGED_FROM:
        edges: dict[str, Any] = {"colors": style.CELL_EDGE, "linewidth": 0.4, "zorder": 0.5}
        ax.vlines(np.arange(columns + 1) - 0.5, -0.5, rows - 0.5, **edges)
        ax.hlines(np.arange(rows + 1) - 0.5, -0.5, columns - 0.5, **edges)
    _cells.image(ax, _cells.coloured(~maze.floor, style.WALL), zorder=0.6)


def _draw_costs(ax: Axes, maze: Maze) -> None:
    """Shade cells that cost more than 1 to enter, darker the more they cost."""
    if maze.entry_times is None:
        return
    costs = np.where(maze.floor, maze.on_grid(maze.entry_times), 1)
    image = _cells.coloured(costs > 1, style.WALL)
    image[..., 3] = 0.5 * (costs - 1) / max(costs.max() - 1, 8)
    _cells.image(ax, image, zorder=0.65)


def _draw_one_way_cells(ax: Axes, maze: Maze) -> None:
    """Mark one-way cells by a pale triangle that points out of them."""
    if maze.exits is None:
        return
    size = 0.45 * _cells.cell_points(ax, maze)
    for action, (_, step) in enumerate(maze.moves):
        cells = maze.cells[maze.exits == action]
        if len(cells) and step in _POINTING:
            points = {"marker": _POINTING[step], "linestyle": "none", "markersize": size}
            ax.plot(*cells.T[::-1], color=style.WALL, alpha=0.35, zorder=0.68, **points)


_POINTING = {(-1, 0): "^", (0, 1): ">", (1, 0): "v", (0, -1): "<"}
"""Markers of matplotlib, by the (row, column) step in which they point."""


def shade_cells(ax: Axes, maze: Maze, chosen: Bool[ArrayLike, " S"], *, colour: str) -> Axes:
    """Return the Axes with some cells in a colour, but for those that walls were added on."""
    cells = maze.on_grid(np.asarray(chosen, dtype=float)) == 1
    _cells.image(ax, _cells.coloured(cells & maze.floor, colour), zorder=0.7)
    return ax


def number_axes(ax: Axes, maze: Maze) -> Axes:
    """Return the Axes with row and column numbers, to look up a cell's (row, column)."""
    rows, columns = maze.free.shape
    for axis, size in ((ax.xaxis, columns), (ax.yaxis, rows)):
        if size <= MOST_TICKS:
            axis.set_ticks(range(size))
        else:
            axis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("column", fontsize=style.TEXT)
    ax.set_ylabel("row", fontsize=style.TEXT)
    ax.tick_params(labelsize=style.TEXT, length=0)
    return ax


def mark_start_and_goals(
    ax: Axes, maze: Maze, *, start: int | None = None, goals: Sequence[int] | None = None
) -> Axes:
    """Return the Axes with an S on the start and a G on each goal.

    Args:
        ax: where to draw, with the maze on it.
        maze: maze that is drawn there.
        start: state to mark as the start; the maze's own by default.
        goals: states to mark as goals; the maze's own by default.
    """
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
    """Return the Axes with a disc on each of some states, numbered from 1 if there are no texts."""
    texts = [str(number + 1) for number in range(len(states))] if texts is None else texts
    colours = [style.colour(n) for n in range(len(states))] if colours is None else colours
    cell = _cells.cell_points(ax, maze)
    tiny = MARK_RADIUS * cell < LEAST_RADIUS / 2
    radius = LEAST_RADIUS / cell if tiny else MARK_RADIUS
    size = float(np.clip(1.45 * radius * cell, 4.5, style.TEXT))
    for state, text, face in zip(states, texts, colours, strict=True):
        row, column = maze.cell(int(state))
        disc = Circle(
            (column, row), radius, facecolor=face, edgecolor=style.INK, linewidth=0.5, zorder=4
        )
        # A disc that is larger than its cell may reach beyond the maze.
        disc.set_clip_on(not tiny)
        ax.add_patch(disc)
        _cells.write(ax, (row, column), text, size, _cells.readable_on(to_rgba(face)))
    return ax


def heat_map(
    ax: Axes,
    maze: Maze,
    values: Float[ArrayLike, " S"],
    *,
    label: str | None = None,
    norm: Normalize | None = None,
    number_format: str | None = None,
) -> Axes:
    """Return the Axes with the maze, each cell coloured by its state's value.

    Args:
        ax: where to draw.
        maze: maze to draw.
        values: one number for each state. NaN leaves a cell blank, as does 0 under a `LogNorm`.
        label: text of a colour bar; without it there is none.
        norm: which values get which colours; panels that share one need a single colour bar.
        number_format: how to write the values into the cells of a small maze, as in "{:.2f}"; by
            default they are not written.

    Raises:
        InputError: if there is not one value for each state.
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (maze.num_states,):
        raise InputError(
            f"heat_map: values must have shape [S] = ({maze.num_states},), got {values.shape}"
        )
    draw_world(ax, maze)
    grid = np.where(maze.floor, maze.on_grid(values), np.nan)
    look: dict[str, Any] = {"norm": norm, "cmap": style.HEAT, "zorder": 1}
    if _cells.is_large(maze):
        mesh = _cells.image(ax, grid, **look)
    else:
        rows, columns = maze.free.shape
        # Edges in the cells' own colour close the hairlines that PDF viewers show.
        look |= {"edgecolors": "face", "linewidth": 0.2}
        places = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
        mesh = ax.pcolormesh(*places, np.ma.masked_invalid(grid), **look)
    if label is not None:
        _cells.colour_bar(ax, mesh, label)
    if number_format is not None:
        _cells.write_values(ax, maze, values, mesh, number_format)
    return ax


def policy_arrows(
    ax: Axes,
    maze: Maze,
    actions: Int[ArrayLike, " S"],
    *,
    colours: Sequence[str] | None = None,
) -> Axes:
    """Return the Axes with arrows that point where actions move; a move that stays is a dot.

    There is an arrow in each cell. Where cells are too small or too many for that, one longer arrow
    stands for each block of cells. It shows the action of the cell it is centred on, the one
    nearest to the middle of the block.
    """
    actions = np.asarray(actions)
    if actions.shape != (maze.num_states,) or not set(actions) <= {*range(-1, maze.num_actions)}:
        raise InputError(
            f"policy_arrows: actions must be {maze.num_states} numbers "
            f"in -1..{maze.num_actions - 1}, got {actions}"
        )
    states, block = _cells.thinned(ax, maze, actions >= 0)
    if colours is None:
        # Longer arrows lie across walls, on which faint ones could not be seen.
        colours = [style.FAINT if block == 1 else style.PLAIN] * maze.num_actions
    for action, (_, step) in enumerate(maze.moves):
        rows, columns = maze.cells[states[actions[states] == action]].T
        length = np.hypot(*step)
        if length == 0:
            ax.plot(columns, rows, ".", color=colours[action], markersize=3, zorder=2)
        elif len(rows):
            way = block * ARROW_LENGTH * np.array(step) / length
            down, right = np.outer(way, np.ones(len(rows)))
            look: dict[str, Any] = {**_ARROWS, "width": block * _ARROW_WIDTH, "zorder": 2}
            ax.quiver(columns, rows, right, down, color=colours[action], **look)
    return ax


def subgoals(ax: Axes, maze: Maze, plan: Plan) -> Axes:
    """Return the Axes with each state's subgoal written into its cell, as (row, column).

    This suits small worlds (Fig. "simple_planning_output"); `number_axes` adds the numbers of rows
    and columns. In larger worlds, use `mark_cells` for the subgoals of one unrolled plan. A dash
    says that the goal cannot be reached from a cell.
    """
    chosen, policies = np.asarray(plan.subgoal), np.asarray(plan.policy)
    for state in range(maze.num_states):
        if state == int(plan.goal):
            mark_cells(ax, maze, [state], texts=["G"], colours=[style.GOAL])
        elif chosen[state] == NOTHING or policies[state] == NOTHING:
            _cells.write_inside(ax, maze, state, "–", style.INK)
        else:
            there = maze.cell(int(chosen[state]))
            _cells.write_inside(ax, maze, state, f"({there[0]}, {there[1]})", style.INK)
    return ax
