"""A figure of classic control: shares of a grid's discount, by world and box, and trajectories."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy_paper.experiments.offline_goals.control import SHARE, joined
from first_occupancy_paper.experiments.offline_goals.control_tasks import (
    BAND,
    BOXES,
    CONTROL_TASKS,
    SLOW,
)
from first_occupancy_paper.rows.row import Row, grouped, where
from first_occupancy_paper.worlds.classic_control import MOUNTAIN_CAR

LOWEST = 50.0
"""Lowest share on the scales, in percent; boxes below have its colour."""


def plot_control(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return a figure of shares by world, shares by box of MountainCar, and a swing-up.

    Returns:
        The figure by its name; none without rows.
    """
    checks = joined(rows)
    if not checks:
        return {}
    walks = {row["walk"]: np.array(row["states"]) for row in where(rows, "walk")}
    figure, axes = style.figure(1, 3, size=(style.PAGE, 2.4))
    _draw_shares(axes[0, 0], checks)
    _draw_boxes(figure, axes[0, 1], where(checks, control="mountain car"))
    for ax, name in ((axes[0, 1], "mountain car"), (axes[0, 2], "pendulum")):
        if name in walks:
            _draw_walk(ax, walks[name])
    _label_pendulum(axes[0, 2])
    return {"control": figure}


def box_shares(rows: Sequence[Row]) -> Float[np.ndarray, "boxes boxes"]:
    """Return which share of the grid's discount skills get, over seeds, by position and velocity.

    In percent; NaN where the grid does not reach the box, or there are no rows.
    """
    skills, grid = np.zeros(BOXES**2), np.zeros(BOXES**2)
    for row in rows:
        skills[row["region"]] += row["skills"]
        grid[row["region"]] += row["grid"]
    shares = np.where(grid > 0, 100 * skills / np.where(grid > 0, grid, 1.0), np.nan)
    return shares.reshape(BOXES, BOXES)


def _draw_shares(ax: Axes, rows: Sequence[Row]) -> None:
    worlds = grouped(rows, "control")
    names = [name for name in CONTROL_TASKS if name in worlds]
    for place, name in enumerate(names):
        seeds = sorted(grouped(worlds[name], "seed").items())
        shares = [100 * _total(own, "skills") / _total(own, "grid") for _, own in seeds]
        shifts = place + 0.12 * (np.arange(len(shares)) - (len(shares) - 1) / 2)
        ax.plot(shifts, shares, "o", color=style.FR, markersize=3.5)
    ax.axhline(100 * SHARE, color=style.INK, linewidth=style.THIN, linestyle="--")
    ax.text(-0.45, 100 * SHARE + 0.4, f"{100 * SHARE:.0f}%", fontsize=style.SMALL)
    labels = [name.replace(" ", "\n") for name in names]
    ax.set_xticks(range(len(names)), labels, fontsize=style.SMALL)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylim(80, 102)
    label_axes(ax, "", "discount, % of the grid's", title="each seed")


def _total(rows: Sequence[Row], name: str) -> float:
    return sum(row[name] for row in rows)


def _draw_boxes(figure: Figure, ax: Axes, rows: Sequence[Row]) -> None:
    shares = box_shares(rows)
    low, high = MOUNTAIN_CAR.low, MOUNTAIN_CAR.high
    edges = [np.linspace(low[each], high[each], BOXES + 1) for each in range(2)]
    ax.set_facecolor(style.LOST)
    mesh = ax.pcolormesh(*edges, shares.T, vmin=LOWEST, vmax=100, cmap=style.HEAT)
    for i, j in np.argwhere(shares < 100 * SHARE):
        corner = (edges[0][i], edges[1][j])
        size = (np.diff(edges[0])[i], np.diff(edges[1])[j])
        ax.add_patch(
            Rectangle(corner, *size, fill=False, edgecolor=style.VERMILLION, linewidth=style.LINE)
        )
    bar = figure.colorbar(mesh, ax=ax, extend="min", shrink=0.85, aspect=18, pad=0.02)
    bar.ax.tick_params(labelsize=style.SMALL, width=style.THIN)
    label_axes(ax, "position", "velocity", title="mountain car, boxes (%)")


def _draw_walk(ax: Axes, walk: Float[np.ndarray, "T 2"]) -> None:
    # An angle that wraps around would draw a line across the whole figure.
    broken = np.insert(walk, np.flatnonzero(np.abs(np.diff(walk[:, 0])) > np.pi) + 1, np.nan, 0)
    ax.plot(broken[:, 0], broken[:, 1], color=style.INK, linewidth=style.THIN, marker=".", ms=2)
    for place, colour in ((walk[0], style.START), (walk[-1], style.GOAL)):
        ax.plot(*place, "o", color=colour, markersize=5, markeredgecolor=style.INK, zorder=3)


def _label_pendulum(ax: Axes) -> None:
    ax.add_patch(Rectangle((-BAND, -SLOW), 2 * BAND, 2 * SLOW, color=style.FR, alpha=0.4))
    ax.set_xlim(-np.pi, np.pi)
    ax.set_xticks([-np.pi, 0, np.pi], ["-π\n(hanging)", "0\n(upright)", "π"])
    label_axes(ax, "angle", "speed", title="pendulum, one way up")
