"""Plans and tours on their maze: the way from the start to the goals, leg by leg."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.core.errors import InputError
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.plans import NOTHING, Leg, Plan, follow, unroll
from first_occupancy.plotting import maze_figures, style

Path = Sequence[int]
"""The states of one leg, from where it starts to where it ends."""


def plan_figure(
    maze: Maze,
    plan: Plan,
    start: int,
    *,
    paths: Sequence[Path] | None = None,
    actions: Int[ArrayLike, " S"] | None = None,
    policy_names: Sequence[str] | None = None,
) -> Figure:
    """Return a figure of the plan from `start`: each leg in its colour, arrows in all other cells.

    A disc with the leg's number marks where it ends, and the legend says what it follows.
    Without `paths` the base policies are taken to be the maze's moves, in order. With them
    nothing is assumed: give `actions` for the arrows, and `policy_names` for the legend unless
    the plan is `named`.
    """
    legs = unroll(plan, start)
    policy_names = plan.policy_names if policy_names is None else policy_names
    if paths is None:
        paths = follow(legs, start, maze.next_states)
        actions = plan.policy if actions is None else actions
        policy_names = maze.action_names if policy_names is None else policy_names
    if len(paths) != len(legs):
        raise InputError(
            f"plan_figure: paths must have one path for each of the {len(legs)} legs, "
            f"got {len(paths)}"
        )
    labels = [_describe(maze, number, leg, policy_names) for number, leg in enumerate(legs)]
    figure, ax = _world_with_legend(maze, labels)
    if actions is not None:
        maze_figures.policy_arrows(ax, maze, _off_the_way(actions, paths, int(plan.goal)))
    _draw_legs(ax, maze, paths, labels, lanes=(0.0,))
    ends = [leg.subgoal for leg in legs[:-1]]
    maze_figures.mark_cells(ax, maze, ends)
    maze_figures.mark_start_and_goals(ax, maze, start=start, goals=[int(plan.goal)])
    _legend(figure, ax)
    return figure


def tour_figure(maze: Maze, paths: Sequence[Path], goals: Sequence[int]) -> Figure:
    """Return a figure of a tour: one path to each goal, goals numbered in the order of visit."""
    if len(paths) != len(goals) or not paths:
        raise InputError(
            "tour_figure: paths must have one path for each goal, at least one, "
            f"got {len(paths)} paths and {len(goals)} goals"
        )
    labels = [f"{n}: to {maze.cell(int(goal))}" for n, goal in enumerate(goals, start=1)]
    figure, ax = _world_with_legend(maze, labels)
    # Tours come back through the same cells: side by side, no leg hides another.
    _draw_legs(ax, maze, paths, labels, lanes=(0.0, 0.14, -0.14))
    maze_figures.mark_cells(ax, maze, goals)
    start = int(paths[0][0])
    if start not in goals:
        maze_figures.mark_start_and_goals(ax, maze, start=start, goals=[])
    _legend(figure, ax)
    return figure


def _describe(maze: Maze, number: int, leg: Leg, names: Sequence[str] | None) -> str:
    """Return the legend's words for a leg."""
    name = f"policy {leg.policy}" if names is None else names[leg.policy]
    return f"{number + 1}: {name} to {maze.cell(leg.subgoal)}"


def _off_the_way(
    actions: Int[ArrayLike, " S"], paths: Sequence[Path], goal: int
) -> Int[np.ndarray, " S"]:
    """Return the actions without those in cells that a leg or the goal's mark covers."""
    rest = np.array(actions)
    rest[[goal, *(state for path in paths for state in path)]] = NOTHING
    return rest


def _world_with_legend(maze: Maze, labels: Sequence[str]) -> tuple[Figure, Axes]:
    """Return a figure of the empty maze that leaves room for a legend to its right."""
    width, height = style.world_size(maze.free.shape)
    room = 0.06 * max(map(len, labels)) + 0.4 if labels else 0.0
    # A legend taller than the maze would squeeze it.
    height = max(height, 0.17 * len(labels) + 0.2)
    figure, axes = style.figure(size=(width + room, height))
    return figure, maze_figures.draw_world(axes[0, 0], maze)


def _draw_legs(
    ax: Axes,
    maze: Maze,
    paths: Sequence[Path],
    labels: Sequence[str],
    *,
    lanes: Sequence[float],
) -> None:
    for number, (path, label) in enumerate(zip(paths, labels, strict=True)):
        lane = lanes[number % len(lanes)]
        look = {
            "colour": style.colour(number),
            "label": label,
            "offset": (lane, maze_figures.SLANT * lane),
        }
        maze_figures.trajectory(ax, maze, np.asarray(path, dtype=int), **look)


def _legend(figure: Figure, ax: Axes) -> None:
    if ax.get_legend_handles_labels()[1]:
        figure.legend(
            loc="outside right center", fontsize=style.TEXT, frameon=False, handlelength=1.2
        )
