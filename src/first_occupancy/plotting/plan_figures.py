"""Legs of plans and tours in their maze: a line for each, and a legend to the right."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from first_occupancy.core.errors import InputError
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.legs import Leg
from first_occupancy.plotting import _cells, maze_figures, style
from first_occupancy.plotting.maze_walks import SLANT, draw_line, trajectory

LegPath = Sequence[int]
"""The states of one leg, from where it starts to where it ends."""

MOST_LABELS = 30
"""Legs that a legend lists; of more it lists the first and counts the others. In a large maze such
a plan has no legend, and its legs no numbers."""


def tour_figure(maze: Maze, paths: Sequence[LegPath], goals: Sequence[int]) -> Figure:
    """Draw a tour: one path to each goal, the goals numbered in the order of the visits.

    Args:
        maze: maze that the tour is in.
        paths: states on the way to each goal.
        goals: goals in the order of the visits.

    Returns:
        The figure.

    Raises:
        InputError: if there is not one path for each goal, or there are none.
    """
    if len(paths) != len(goals) or not paths:
        raise InputError(
            "tour_figure: paths must have one path for each goal, at least one, "
            f"got {len(paths)} paths and {len(goals)} goals"
        )
    labels = [f"{n}: to {maze.cell(int(goal))}" for n, goal in enumerate(goals, start=1)]
    figure, ax = style.canvas(None, size_with_legend(maze, labels))
    draw_tour(ax, maze, paths, goals, int(paths[0][0]), labels=labels)
    add_legend(figure, ax)
    return figure


def draw_tour(
    ax: Axes,
    maze: Maze,
    paths: Sequence[LegPath],
    goals: Sequence[int],
    start: int,
    *,
    labels: Sequence[str] | None = None,
    colours: Sequence[str] | None = None,
) -> Axes:
    """Return the Axes with the maze, a path to each goal, and the goals numbered in their order."""
    maze_figures.draw_world(ax, maze)
    # Tours come back through the same cells: side by side, no leg hides another.
    draw_legs(ax, maze, paths, labels, lanes=(0.0, 0.14, -0.14))
    if start not in goals:
        maze_figures.mark_start_and_goals(ax, maze, start=start, goals=[])
    return maze_figures.mark_cells(ax, maze, goals, colours=colours)


def leg_labels(maze: Maze, legs: Sequence[Leg], names: Sequence[str] | None) -> list[str] | None:
    """Return what a legend says of each leg: its number, policy and subgoal.

    The many legs of a plan in a large maze are drawn without labels: then this is None.
    """
    if len(legs) > MOST_LABELS and _cells.is_large(maze):
        return None
    return [_describe(maze, number, leg, names) for number, leg in enumerate(legs)]


def _describe(maze: Maze, number: int, leg: Leg, names: Sequence[str] | None) -> str:
    name = f"policy {leg.policy}" if names is None else names[leg.policy]
    return f"{number + 1}: {style.literal(name)} to {maze.cell(leg.subgoal)}"


def size_with_legend(maze: Maze, labels: Sequence[str] | None) -> style.Size:
    """Return the size of a figure that has room for a legend to the right of the maze."""
    width, height = style.world_size(maze.free.shape)
    room = 0.06 * max(map(len, labels)) + 0.4 if labels else 0.0
    # A legend taller than the maze would squeeze it.
    return width + room, max(height, 0.17 * min(len(labels or ()), MOST_LABELS + 1) + 0.2)


def draw_legs(
    ax: Axes,
    maze: Maze,
    paths: Sequence[LegPath],
    labels: Sequence[str] | None = None,
    *,
    lanes: Sequence[float] = (0.0,),
) -> Axes:
    """Return the Axes with a line for each leg; jumps that no move makes are dashed."""
    if labels is None and len(paths) > MOST_LABELS:
        return _draw_many_legs(ax, maze, paths)
    for number, path in enumerate(paths):
        lane, label = lanes[number % len(lanes)], labels[number] if labels else None
        look = {"colour": style.colour(number), "offset": (lane, SLANT * lane)}
        for part, dashed in _walked_and_jumped(maze, np.asarray(path, dtype=int)):
            trajectory(ax, maze, part, label=label, dashed=dashed, **look)
            label = None
    return ax


def _draw_many_legs(ax: Axes, maze: Maze, paths: Sequence[LegPath]) -> Axes:
    """Draw one line for each colour and kind of line, with gaps between the legs."""
    lines: dict[tuple[str, bool], list[np.ndarray]] = {}
    gap = np.full((1, 2), np.nan)
    for number, path in enumerate(paths):
        for part, dashed in _walked_and_jumped(maze, np.asarray(path, dtype=int)):
            same = lines.setdefault((style.colour(number), dashed), [])
            same += [maze.cells[part].astype(float), gap]
    for (colour, dashed), parts in lines.items():
        rows, columns = np.concatenate(parts[:-1]).T
        draw_line(ax, columns, rows, colour=colour, dashed=dashed)
    return ax


def _walked_and_jumped(
    maze: Maze, path: Int[np.ndarray, " T"]
) -> list[tuple[Int[np.ndarray, " _"], bool]]:
    """Return the parts of a path, and whether each is a jump that no move of the maze makes."""
    moved = (maze.next_states[:, path[:-1]] == path[None, 1:]).any(axis=0)
    jumped = ~moved & (path[:-1] != path[1:])
    if not jumped.any():
        return [(path, False)]
    cuts = np.flatnonzero(np.diff(jumped)) + 1
    ends = [0, *cuts.tolist(), len(jumped)]
    parts = pairwise(ends)
    return [(path[begin : end + 1], bool(jumped[begin])) for begin, end in parts]


def add_legend(figure: Figure, ax: Axes) -> None:
    """Add a legend of the legs to the right of the maze, cut short if there are many."""
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    if len(labels) > MOST_LABELS:
        more = len(labels) - MOST_LABELS + 1
        handles = [*handles[: MOST_LABELS - 1], Line2D([], [], linestyle="none")]
        labels = [*labels[: MOST_LABELS - 1], f"and {more} more legs"]
    look = {"fontsize": style.TEXT, "frameon": False, "handlelength": 1.2}
    figure.legend(handles, labels, loc="outside right center", **look)
