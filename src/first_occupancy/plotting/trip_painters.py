"""Pictures of tours, and of trips to rewards that can be taken once."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.core.errors import InputError
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning._ways import Way, shown_state
from first_occupancy.planning.collection import Collection
from first_occupancy.planning.legs import follow
from first_occupancy.planning.world_tours import Tour
from first_occupancy.plotting import style
from first_occupancy.plotting.figure_files import NotebookFigure
from first_occupancy.plotting.plan_figures import draw_tour, tour_figure

MOST_TEXTS = 12
"""Stops up to which each is written out."""


def paint_tour(tour: Tour, ax: Axes | None = None) -> Figure:
    """Return a picture of a tour through a maze, goals numbered in the order of the visits."""
    maze = tour.world
    if not isinstance(maze, Maze):
        raise InputError(f"plot: a tour must be in a maze, got {type(maze).__name__}")
    goals, paths = [way.goal for way in tour.ways], [_path(way, maze) for way in tour.ways]
    if ax is None:
        return tour_figure(maze, paths, goals)
    draw_tour(ax, maze, paths, goals, tour.start)
    return style.canvas(ax, (0, 0))[0]


def paint_trip(trip: Collection, ax: Axes | None = None) -> Figure:
    """Return a picture of a trip: the way through its maze, and what is collected by when.

    Rewards that are out of reach are crossed out. On Axes that are given there is the maze only,
    and outside mazes only the sums.
    """
    maze = trip.world
    if not isinstance(maze, Maze):
        figure, ax = style.canvas(ax, (style.COLUMN, 2.4))
        _draw_sums(ax, trip)
        return figure
    if ax is not None:
        return _board(ax, maze, trip)
    width, height = style.world_size(maze.free.shape)
    size = (width + style.COLUMN, max(height, 2.4))
    figure = NotebookFigure(figsize=size, layout="constrained", facecolor="white")
    board, sums = figure.subplots(1, 2, width_ratios=[width, style.COLUMN])
    _board(board, maze, trip)
    _draw_sums(style.style_axes(sums), trip)
    return figure


def _board(ax: Axes, maze: Maze, trip: Collection) -> Figure:
    paths, stops = [_path(way, maze) for way in trip.ways], [stop.state for stop in trip.stops]
    draw_tour(ax, maze, paths, stops, trip.start, colours=_colours(len(stops), len(trip.ways)))
    for state in trip.unreachable:
        row, column = maze.cell(state)
        ax.plot(column, row, "x", color=style.VERMILLION, markersize=5, zorder=4)
    return style.canvas(ax, (0, 0))[0]


def _colours(stops: int, ways: int) -> list[str]:
    """Return the colour of each stop, that of the way to it."""
    return [style.PLAIN] * (stops - ways) + [style.colour(number) for number in range(ways)]


def _draw_sums(ax: Axes, trip: Collection) -> None:
    """Draw the sum of discounted rewards against the expected time when they are taken."""
    stops = trip.stops
    timed = all(np.isfinite(stop.time) for stop in stops)
    times = [stop.time if timed else number for number, stop in enumerate(stops, start=1)]
    sums = np.cumsum([stop.reward * stop.discount for stop in stops])
    end, most = 1.1 * max([1.0, *times]), float(sums[-1]) if len(sums) else 0.0
    ax.step([0, *times, end], [0, *sums, most], where="post", color=style.FAINT, zorder=1)
    colours, written = _colours(len(stops), len(trip.ways)), len(stops) <= MOST_TEXTS
    for number, stop in enumerate(stops):
        ax.plot(times[number], sums[number], "o", color=colours[number], markersize=4.5)
        if written and stop.reward:
            where = style.literal(shown_state(trip.world, stop.state))
            text, at = f"{number + 1}: {stop.reward:.3g} at {where}", (times[number], sums[number])
            look = {"fontsize": style.SMALL, "va": "top", "color": style.INK}
            ax.annotate(text, at, xytext=(5, -4), textcoords="offset points", **look)
    ax.set(xlabel="expected time" if timed else "stop", ylabel="discounted rewards")
    # Texts stand to the right of the points.
    ax.set(xlim=(0, (1.35 if written else 1) * end), ylim=(0, 1.1 * most if most > 0 else 1.0))
    certain = trip.strategy.planner.steps is not None
    what = "expected return" if certain else "the order promises"
    ax.set_title(f"{what} {trip.promised:.4g}", fontsize=style.TITLE)


def _path(way: Way, maze: Maze) -> list[int]:
    """Return the states of a way if no noise interferes; only its ends if policies are others."""
    if way.plan.policy_names != maze.action_names or not way.legs:
        return [way.begin, way.goal]
    paths = follow(way.legs, way.begin, maze.next_states)
    return [way.begin, *(state for path in paths for state in path[1:])]
