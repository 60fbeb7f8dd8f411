"""The figures: both policies with FR and SR of the goal, and the FR and SR of all states."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.environments import small_room
from first_occupancy.plotting import style
from first_occupancy.plotting.maze_figures import (
    draw_world,
    heat_map,
    mark_start_and_goals,
    policy_arrows,
)
from first_occupancy.plotting.maze_walks import trajectory

from .. import Row, where
from ..bars import bars_with_intervals

COLOURS = {"pi_1": style.VERMILLION, "pi_2": style.TEAL}


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    policies = where(rows, "policy")
    choices = {row["representation"]: row["gpi_choice"] for row in where(rows, "gpi_choice")}
    size = (style.PAGE * 0.75, 4.4)
    return {
        "policies": _policies(policies, choices),
        "occupancies": occupancy_maps(policies, {"FR": "F", "SR": "M"}, size=size),
    }


def _policies(policies: Sequence[Row], choices: dict[str, str]) -> Figure:
    figure, axes = style.figure(1, 4, size=(style.PAGE, 1.9))
    for ax, row in zip(axes[0], policies, strict=False):
        _draw_policy(ax, row)
    names, colours = [rf"$\{name}$" for name in COLOURS], [*COLOURS.values()]
    for ax, (name, symbol) in zip(axes[0, 2:], (("FR", "F"), ("SR", "M")), strict=True):
        values = np.array([row[name.lower()] for row in policies])
        bars_with_intervals(ax, names, values, np.zeros(len(values)), colours=colours)
        ax.set_ylabel(rf"${symbol}(s_0, s_g)$", fontsize=style.TEXT)
        ax.set_title(rf"{name}-GPI picks $\{choices[name]}$", fontsize=style.TITLE)
    return figure


def _draw_policy(ax: Axes, row: Row) -> None:
    world = small_room()
    draw_world(ax, world)
    policy_arrows(ax, world, np.array(row["actions"]))
    trajectory(ax, world, row["walk"], colour=COLOURS[row["policy"]])
    mark_start_and_goals(ax, world)
    steps = row["steps_to_goal"]
    ax.set_title(rf"$\{row['policy']}$: {steps} steps to G", fontsize=style.TITLE)


def occupancy_maps(
    policies: Sequence[Row], symbols: Mapping[str, str], *, size: style.Size
) -> Figure:
    """Return a row of maps for each representation: its values from the start, for each policy."""
    world = small_room()
    figure, axes = style.figure(len(symbols), len(policies), size=size)
    for row_axes, (name, symbol) in zip(axes, symbols.items(), strict=True):
        for ax, row in zip(row_axes, policies, strict=True):
            values = np.array(row[f"{name.lower()}_from_start"])
            label = rf"${symbol}(s_0, \cdot)$"
            heat_map(ax, world, values, label=label, number_format="{:.2f}")
            ax.set_title(rf"{name} of $\{row['policy']}$", fontsize=style.TITLE)
    return figure
