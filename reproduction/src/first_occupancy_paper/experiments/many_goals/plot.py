"""The figures: the tour, the cost of finding it, and a plan as options."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from first_occupancy.environments import Maze, four_rooms
from first_occupancy.planning.legs import Leg, follow
from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy.plotting.maze_figures import (
    draw_world,
    mark_cells,
    mark_start_and_goals,
    policy_arrows,
)
from first_occupancy.plotting.maze_walks import trajectory
from first_occupancy.plotting.plan_figures import tour_figure

from .. import Row, where
from .find import pooled

NAMES = {"leg_by_leg": "each option\nto its end", "rechoosing": "plan looked up\nat every step"}

DIAMOND: dict[str, Any] = {"color": style.INK, "markerfacecolor": "white", "markersize": 4}
"""The marker of values that are computed, not simulated."""


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    (tour,) = where(rows, part="tour")
    plans = where(rows, "legs", part="options")
    return {
        "tour": _tour(tour),
        "orders": _orders(where(rows, part="orders")),
        "options": _options(min(plans, key=lambda row: row["noise"])),
        "following": _following(rows),
    }


def _tour(row: Row) -> Figure:
    world = four_rooms()
    here, paths = world.start, []
    assert here is not None
    for legs in row["legs"]:
        ways = _ways(world, here, legs)
        paths.append([here] + [state for way in ways for state in way[1:]])
        here = paths[-1][-1]
    figure = tour_figure(world, paths, row["order"])
    steps = round(row["log_discount"] / row["log_step"])
    figure.suptitle(f"Best of {row['num_orders']:,} orders: {steps} steps", fontsize=style.TITLE)
    return figure


def _orders(rows: Sequence[Row]) -> Figure:
    counts = [row["num_goals"] for row in rows]
    figure, ax = style.canvas(None, (style.COLUMN * 1.25, 2.5))
    for algorithm, colour, label in (
        ("all_orders", style.VERMILLION, r"all orders, $n!\,n$"),
        ("held_karp", style.FR, r"Held-Karp, $2^n n^2$"),
    ):
        additions = [row[algorithm] for row in rows]
        ax.semilogy(counts, additions, "-o", color=colour, markersize=3, label=label)
    checked = max(row["num_goals"] for row in rows if row["sets"])
    ax.axvspan(counts[0] - 0.5, checked + 0.5, color=style.CELL_EDGE, alpha=0.5, linewidth=0)
    ax.text(checked + 0.4, 3, "results compared", fontsize=style.SMALL, ha="right")
    ax.set_xlim(counts[0] - 0.5, counts[-1] + 0.5)
    label_axes(ax, "number of goals $n$", "additions", legend="upper left")
    return figure


def _options(row: Row) -> Figure:
    """Return one panel for each option: its policy, its path, and where it ends."""
    world, legs = four_rooms(), row["legs"]
    columns = min(3, len(legs))
    size = (style.PAGE * columns / 3, 2.5 * -(-len(legs) // columns))
    figure, axes = style.panels(None, len(legs), size, columns=columns)
    ways = _ways(world, row["start"], legs)
    for number, (ax, (policy, subgoal), way) in enumerate(zip(axes, legs, ways, strict=True), 1):
        draw_world(ax, world)
        policy_arrows(ax, world, np.full(world.num_states, policy))
        trajectory(ax, world, way, colour=style.FR)
        mark_start_and_goals(ax, world, start=row["start"], goals=[row["goal"]])
        if subgoal != row["goal"]:
            mark_cells(ax, world, [subgoal], texts=["T"], colours=[style.TEAL])
        name = world.action_names[policy]
        title = f"option {number}: {name} until {world.cell(subgoal)}"
        ax.set_title(title, fontsize=style.TITLE)
    return figure


def _following(rows: Sequence[Row]) -> Figure:
    """Return the mean discount of both ways to follow the plan, simulated and exact, by noise."""
    worth = {row["noise"]: row for row in where(rows, part="worth")}
    figure, axes = style.figure(1, len(worth), size=(style.PAGE * 0.8, 2.6))
    for ax, (noise, exact) in zip(axes[0], sorted(worth.items()), strict=True):
        episodes = 0
        for place, way in enumerate(NAMES):
            (mean, half), episodes = pooled(where(rows, way=way, noise=noise))
            ax.bar(place, mean, width=0.6, color=style.FR if way == "rechoosing" else style.ORANGE)
            ax.errorbar(place - 0.1, mean, yerr=half, color=style.INK, capsize=3)
            ax.plot(place + 0.1, exact[way], "D", **DIAMOND)
        ax.axhline(exact["optimal"], color=style.VI, linewidth=style.LINE, linestyle="--")
        ax.set_xticks(range(len(NAMES)), list(NAMES.values()))
        ax.set(xlim=(-0.6, len(NAMES) - 0.4), ylim=(0, 0.5))
        title = f"noise {noise:g}, {episodes:,} episodes"
        label_axes(ax, "", r"mean discount $\gamma^T$ to the goal", title=title)
    _explain(figure)
    return figure


def _explain(figure: Figure) -> None:
    """Add a legend of the markers that all panels share."""
    handles = [
        Line2D([], [], color=style.INK, label="simulated, 95%"),
        Line2D([], [], label="exact", marker="D", linestyle="none", **DIAMOND),
        Line2D([], [], color=style.VI, linestyle="--", label="optimum (VI)"),
    ]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=3, fontsize=style.TEXT, frameon=False
    )


def _ways(world: Maze, start: int, legs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the states of each leg, stored as (policy, subgoal), if no move slips."""
    return follow([Leg(policy, subgoal) for policy, subgoal in legs], start, world.next_states)
