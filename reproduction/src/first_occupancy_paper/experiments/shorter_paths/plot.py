"""The figures: both policies with FR and SR of the goal, and the FR and SR of all states."""

from collections.abc import Sequence

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
from first_occupancy_paper.rows.row import Row

from ..bars import bars_with_intervals

COLOURS = {"pi_1": style.VERMILLION, "pi_2": style.TEAL}
NAMES = {"pi_1": r"$\pi_1$", "pi_2": r"$\pi_2$"}


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    policies = [row for row in rows if "policy" in row]
    choices = {row["representation"]: row["gpi_choice"] for row in rows if "gpi_choice" in row}
    return {
        "policies": _policies(policies, choices),
        "occupancies": _occupancies(policies),
    }


def _policies(policies: Sequence[Row], choices: dict[str, str]) -> Figure:
    figure, axes = style.figure(1, 4, size=(style.PAGE, 1.9))
    for ax, row in zip(axes[0], policies, strict=False):
        _draw_policy(ax, row)
    for ax, (key, name) in zip(axes[0, 2:], (("fr", "FR"), ("sr", "SR")), strict=True):
        bars_with_intervals(
            ax,
            [NAMES[row["policy"]] for row in policies],
            np.array([row[key] for row in policies]),
            np.zeros(len(policies)),
            colours=[COLOURS[row["policy"]] for row in policies],
        )
        symbol = "F" if key == "fr" else "M"
        ax.set_ylabel(rf"${symbol}(s_0, s_g)$", fontsize=style.TEXT)
        ax.set_title(f"{name}-GPI picks {NAMES[choices[name]]}", fontsize=style.TITLE)
    return figure


def _draw_policy(ax: Axes, row: Row) -> None:
    world = small_room()
    draw_world(ax, world)
    policy_arrows(ax, world, np.array(row["actions"]))
    trajectory(ax, world, row["walk"], colour=COLOURS[row["policy"]])
    mark_start_and_goals(ax, world)
    steps = row["steps_to_goal"]
    ax.set_title(f"{NAMES[row['policy']]}: {steps} steps to G", fontsize=style.TITLE)


def _occupancies(policies: Sequence[Row]) -> Figure:
    world = small_room()
    figure, axes = style.figure(2, 2, size=(style.PAGE * 0.75, 4.4))
    for row_axes, key, symbol in zip(axes, ("fr", "sr"), ("F", "M"), strict=True):
        for ax, row in zip(row_axes, policies, strict=True):
            label = rf"${symbol}(s_0, \cdot)$"
            heat_map(
                ax, world, np.array(row[f"{key}_from_start"]), label=label, number_format="{:.2f}"
            )
            ax.set_title(f"{key.upper()} of {NAMES[row['policy']]}", fontsize=style.TITLE)
    return figure
