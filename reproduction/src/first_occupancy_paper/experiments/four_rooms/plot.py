"""The figures: returns by sweeps, an example episode, noise, and the learning curves."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.environments import four_rooms
from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes, mean_curve, standard_deviation
from first_occupancy.plotting.maze_figures import draw_world, mark_cells
from first_occupancy.plotting.maze_walks import trajectory

from .. import Row, grouped, where
from ..legends import legend_below
from .find import expected
from .noise import EXACT, UNDER_NOISE, VI, WITHOUT_NOISE
from .returns import CONVERGED, GOAL_ONLY

NOISE_COLOURS = {
    UNDER_NOISE: style.FR,
    WITHOUT_NOISE: style.ORANGE,
    EXACT: style.BLACK,
    VI: style.VI,
}


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    return {
        "returns": _returns(where(rows, "sweeps")),
        "trajectories": _trajectories(where(rows, "walk_with_switches")),
        "noise": _noise(where(rows, part="noise")),
        "learning_curves": _learning_curves(where(rows, part="learning_curves")),
    }


def _returns(rows: Sequence[Row]) -> Figure:
    figure, ax = style.canvas(None, (style.PAGE * 0.66, 2.9))
    by_sweeps = {(row["planner"], row["sweeps"]): row["returns"] for row in rows}
    sweeps = sorted(k for planner, k in by_sweeps if planner == "FRP" and k != CONVERGED)
    for planner, name, colour in (
        ("FRP", "FRP", style.FR),
        ("VI", "VI", style.VI),
        (GOAL_ONLY, "VI, bump costs unknown", style.SKY),
    ):
        samples = np.transpose([by_sweeps[planner, k] for k in sweeps])
        mean_curve(ax, np.array(sweeps), samples, label=name, colour=colour, marker="o")
    for key, name, colour in (
        (("VI", CONVERGED), "VI, converged", style.VI),
        (("FRP", 0), "GPI", style.GPI),
    ):
        ax.axhline(
            np.mean(by_sweeps[key]), color=colour, linewidth=style.LINE, linestyle="--", label=name
        )
    label_axes(ax, "sweeps K", "discounted return, 75 steps")
    ax.set_xticks(sweeps)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=style.TEXT, frameon=False)
    return figure


def _trajectories(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, 2, size=(style.PAGE * 0.8, 3.0))
    for ax, row in zip(axes[0], rows, strict=True):
        _draw_episode(ax, row)
    return figure


def _draw_episode(ax: Axes, row: Row) -> None:
    """Draw one walk, in a new colour after each goal; goals are numbered in order."""
    world = four_rooms()
    draw_world(ax, world)
    cuts = [0, *row["arrivals"], len(row["walk"]) - 1]
    lanes = np.linspace(-0.25, 0.25, len(cuts) - 1) if len(cuts) > 2 else [0.0]
    for number, lane in enumerate(lanes):
        part = row["walk"][cuts[number] : cuts[number + 1] + 1]
        trajectory(ax, world, part, colour=style.colour(number), offset=(float(lane), float(lane)))
    assert world.start is not None
    mark_cells(ax, world, [world.start], texts=["S"], colours=[style.START])
    mark_cells(ax, world, row["walk_goals"])
    count = len(row["arrivals"])
    goals = "1 goal" if count == 1 else f"{count} goals"
    name = "FRP, K = 0 (GPI)" if row["walk_with_switches"] == 0 else "FRP, K = 3"
    ax.set_title(f"{name}: {goals} in 75 steps", fontsize=style.TITLE)


def _noise(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, 2, size=(style.PAGE, 3.2))
    by_level = grouped(rows, "noise")
    levels = np.array([*by_level])
    for planner, colour in NOISE_COLOURS.items():
        played, computed = [], []
        for at in by_level.values():
            played.append(np.ravel([row["returns"] for row in where(at, planner=planner)]))
            computed.append(expected(at, planner) - expected(at, VI))
        look = {"label": planner, "colour": colour, "marker": "o"}
        for ax, samples in zip(axes[0], (played, computed), strict=True):
            mean_curve(ax, levels, np.transpose(samples), **look)
    noise, seeds = r"noise $\epsilon$", len(grouped(rows, "seed"))
    label_axes(axes[0, 0], noise, "discounted return, 75 steps", title="Played, mean ± 1 SE")
    label_axes(
        axes[0, 1],
        noise,
        "expected return less VI's",
        title=f"Exact, for FRs learned {seeds} times, ± 1 SE",
    )
    legend_below(figure, axes[0, 0], ncols=2)
    return figure


def _learning_curves(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(2, 4, size=(style.PAGE, 3.4))
    for number, (ax, row) in enumerate(zip(axes.flat, rows, strict=True)):
        colour = style.FR if row["representation"] == "FR" else style.SR
        episodes = np.arange(1, len(row["errors"][0]) + 1)
        mean_curve(
            ax, episodes, np.array(row["errors"]), colour=colour, half_width=standard_deviation
        )
        ax.set_ylim(bottom=0)
        label_axes(
            ax,
            "episode" if number >= 4 else "",
            f"{row['representation']}: TD error (L2)" if number % 4 == 0 else "",
            title=row["policy"] if number < 4 else None,
        )
    return figure
