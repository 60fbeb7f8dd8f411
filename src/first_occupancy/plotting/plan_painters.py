"""How `fo.plot` draws plans: over their maze, or as legs and discounts where there is no maze."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from first_occupancy.core.action_worlds import certain_actions
from first_occupancy.core.errors import InputError, shown
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.legs import Leg, follow
from first_occupancy.planning.plans import NOTHING, Plan, PlansOnHost
from first_occupancy.plotting import _cells, maze_figures, style
from first_occupancy.plotting.leg_figures import (
    chain_of_legs,
    chain_size,
    name_of,
    table_of_states,
)
from first_occupancy.plotting.matrices import matrix, sorted_curves
from first_occupancy.plotting.named_cells import maze_of
from first_occupancy.plotting.place_painters import has_places, values_at_places
from first_occupancy.plotting.plan_figures import (
    add_legend,
    draw_legs,
    leg_labels,
    size_with_legend,
)

MOST_ROWS = 24
"""States up to which a plan without a maze is shown as a table."""

DISCOUNT = "expected discount"

MOST_MARKS = 20
"""Subgoals that are marked in a maze with small cells, where marks cover more than one cell."""

SPREAD = 50
"""Ratio of the largest to the smallest discount from which colours are logarithmic."""


def paint_plan(
    plan: Plan | PlansOnHost,
    ax: Axes | None = None,
    *,
    world: Any = None,
    start: Any = None,
    goal: Any = None,
    policies: Any = None,
) -> Figure:
    """Return a picture of the legs from a start, or of the discount and the moves everywhere.

    Of plans to many goals it is a matrix of their discounts, or a picture of the plan to `goal`.

    Each leg has a colour. A disc with its number marks where it ends, the legend says which policy
    it follows, and arrows show the moves in all other cells. Cells from which the goal is not
    reached are shaded. Legs are walked along the maze's moves if these are the base policies, as
    the plan's names tell, or along `policies` if they are deterministic. A dashed line is a jump:
    no single move leads from one end to the other, as on a leg whose policies are not known.
    """
    if isinstance(plan, PlansOnHost) or plan.goal.ndim == 1:
        if goal is None:
            return _discounts_to_goals(plan, ax)
        plan = plan.to(goal if world is None else world.state_number(goal))
    elif goal is not None:
        raise InputError("plot: goal must be left out for a plan to one goal")
    if has_places(world) and start is None:
        found = np.asarray(plan.expected_discount, float)
        values = {"": np.where(found > 0, found, np.nan)}
        return values_at_places(world, values, ax, label=DISCOUNT, mark=int(plan.goal))
    own = None if has_places(world) else world
    maze = maze_of(own, plan.policy.shape[-1], plan.state_names, plan.policy_names)
    if maze is None:
        return _without_maze(plan, ax, start)
    here = maze.start if start is None else maze.state_number(start)
    # A start that the user named must be reached; the maze's own need not.
    if here is None or (start is None and not np.isfinite(float(plan.log_promised[here]))):
        return _from_everywhere(plan, ax, maze, _moves(plan, maze, policies))
    return _from_start(plan, ax, maze, here, policies)


def _discounts_to_goals(plans: Plan | PlansOnHost, ax: Axes | None) -> Figure:
    figure, ax = style.canvas(ax, (style.COLUMN + 0.9, style.COLUMN))
    names, goals = plans.state_names, [int(each) for each in np.asarray(plans.goal)[:MOST_ROWS]]
    rows = [shown(each, names) for each in goals] if len(plans.goal) <= MOST_ROWS else None
    matrix(ax, plans.log_promised, rows, names, label=DISCOUNT, transform=_discounts)
    ax.set(xlabel="from", ylabel="goal")
    return figure


def _discounts(logs: Float[np.ndarray, "G S"]) -> Float[np.ndarray, "G S"]:
    """Return the discounts, NaN where the goal is not reached."""
    return np.where(np.isfinite(logs), np.exp(logs), np.nan)


def paint_leg(
    leg: Leg, ax: Axes | None = None, *, world: Maze | None = None, start: Any = None
) -> Figure:
    """Return a picture of where a leg leads to, in a maze also of the way from a start."""
    if world is None and start is None:
        return _chain([leg], None, ax)
    if world is None or start is None:
        raise InputError("plot: world and start of a leg must be given together")
    here = world.state_number(start)
    paths = follow([leg], here, world.next_states)
    size = style.world_size(world.free.shape)
    figure, ax = style.canvas(ax, size)
    maze_figures.draw_world(ax, world)
    draw_legs(ax, world, paths)
    maze_figures.mark_cells(ax, world, [leg.subgoal])
    return figure


def _moves(plan: Plan, maze: Maze, policies: Any) -> Int[np.ndarray, "N S"] | None:
    """Return the move of each base policy in each state, or None if they are not known."""
    if policies is not None:
        return certain_actions(policies, maze.num_states, maze.num_actions)
    if plan.policy_names != maze.action_names:
        return None
    return np.repeat(np.arange(maze.num_actions)[:, None], maze.num_states, axis=1)


def _actions(plan: Plan, moves: Int[np.ndarray, "N S"] | None) -> Int[np.ndarray, " S"] | None:
    """Return the move that the plan makes in each state."""
    if moves is None:
        return None
    policy = np.asarray(plan.policy)
    chosen = moves[policy, np.arange(len(policy))]
    return np.where(policy == NOTHING, NOTHING, chosen)


def _from_start(plan: Plan, ax: Axes | None, maze: Maze, start: int, policies: Any) -> Figure:
    legs, moves = plan.legs(start), _moves(plan, maze, policies)
    if moves is None:
        paths = [*pairwise([start, *(leg.subgoal for leg in legs)])]
    else:
        ahead = maze.next_states[moves, np.arange(maze.num_states)[None]]
        paths = follow(legs, start, ahead)
    labels, actions = leg_labels(maze, legs, plan.policy_names), _actions(plan, moves)
    is_new = ax is None
    figure, ax = style.canvas(ax, size_with_legend(maze, labels))
    maze_figures.draw_world(ax, maze)
    _shade_lost_cells(plan, ax, maze)
    if actions is not None:
        # Not in cells that a leg or the goal's mark covers.
        rest = actions.copy()
        rest[[int(plan.goal), *(state for path in paths for state in path)]] = NOTHING
        maze_figures.policy_arrows(ax, maze, rest)
    draw_legs(ax, maze, paths, labels)
    ends = [path[-1] for path in paths[:-1]]
    if len(ends) <= MOST_MARKS or not _cells.is_large(maze):
        maze_figures.mark_cells(ax, maze, ends)
    maze_figures.mark_start_and_goals(ax, maze, start=start, goals=[int(plan.goal)])
    if is_new and labels is None:
        steps = sum(len(path) - 1 for path in paths)
        text = f"{len(legs):,} legs, {steps:,} steps; the colour changes at each subgoal"
        ax.set_title(text, fontsize=style.TITLE)
    if is_new:
        add_legend(figure, ax)
    return figure


def _shade_lost_cells(plan: Plan, ax: Axes, maze: Maze) -> None:
    """Shade the cells from which the goal is not reached."""
    lost = ~np.isfinite(np.asarray(plan.log_promised))
    if lost.any():
        maze_figures.shade_cells(ax, maze, lost, colour=style.LOST)


def _from_everywhere(
    plan: Plan, ax: Axes | None, maze: Maze, moves: Int[np.ndarray, "N S"] | None
) -> Figure:
    width, height = style.world_size(maze.free.shape)
    figure, ax = style.canvas(ax, (width + 0.8, height))
    discounts = np.asarray(plan.expected_discount, dtype=float)
    norm = _norm(discounts)
    maze_figures.heat_map(
        ax, maze, np.where(discounts > 0, discounts, np.nan), label=DISCOUNT, norm=norm
    )
    _shade_lost_cells(plan, ax, maze)
    actions = _actions(plan, moves)
    if actions is not None:
        maze_figures.policy_arrows(ax, maze, actions, colours=["white"] * maze.num_actions)
    maze_figures.mark_start_and_goals(ax, maze, goals=[int(plan.goal)])
    return figure


def _norm(discounts: Float[np.ndarray, " S"]) -> Normalize:
    some = discounts[discounts > 0]
    if len(some) and some.max() > SPREAD * some.min():
        return LogNorm(some.min(), some.max())
    return Normalize(0, 1)


def _chain(legs: Sequence[Leg], start: str | None, ax: Axes | None) -> Figure:
    width, height = chain_size(len(legs))
    figure, ax = style.canvas(ax, (1.1 * width, 0.6 * height))
    chain_of_legs(ax, legs, start)
    return figure


def _without_maze(plan: Plan, ax: Axes | None, start: Any) -> Figure:
    """Return a picture of the legs from a start, or of the discounts from everywhere."""
    names = plan.state_names
    if start is not None:
        here = names.index(start) if names and isinstance(start, str) else int(start)
        return _chain(plan.legs(here), name_of(here, names, otherwise="state"), ax)
    size = plan.policy.shape[-1]
    if size <= MOST_ROWS:
        figure, ax = style.canvas(ax, (style.COLUMN + 0.7, 0.19 * size + 0.8))
        table_of_states(ax, plan)
        return figure
    figure, ax = style.canvas(ax, (style.COLUMN, 2.4))
    curves = {"expected": np.asarray(plan.expected_discount, dtype=float)}
    if plan.exceeds_promise:
        curves["promised"] = np.asarray(plan.promised, dtype=float)
    sorted_curves(ax, curves, what=DISCOUNT)
    return figure
