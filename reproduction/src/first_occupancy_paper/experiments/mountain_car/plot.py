"""The figures: the world and the choices, the learning curves, and what they depend on."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.environments import mountain_car as world
from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes, mean_curve, standard_deviation
from first_occupancy_paper.rows.row import Row, grouped, where
from first_occupancy_paper.worlds import mountain_car_walks

from .choices import FF, SF
from .config import STOPS
from .numbers import SHOWN_GOALS, by_setting, chosen, measured, values_by_power
from .readings import AS_CHOSEN

COLOURS = {FF: style.FR, SF: style.SR}
POWERS = np.array(mountain_car_walks.POWERS)


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name, for cars that the left wall stops."""
    rows = where(rows, left_wall=STOPS)
    return {
        "choice": _choice(where(rows, part="choice")),
        "curves": _curves(where(rows, part="choice")),
        "features": _features(where(rows, part="features")),
        "settings": _settings(rows),
        "readings": _readings(where(rows, reading=AS_CHOSEN)),
    }


def _choice(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(2, 2, size=(style.PAGE, 5.2))
    _world(axes[0, 0], rows[0])
    for ax, name, title in ((axes[0, 1], FF, "(b) FF"), (axes[1, 0], SF, "(b) SF")):
        _values_by_power(ax, where(rows, representation=name))
        label_axes(ax, "power of the policy", "estimated value", title=f"{title}; dotted: highest")
    _values_by_goal(axes[1, 1], rows)
    return figure


def _world(ax: Axes, row: Row) -> None:
    """Draw the track with the starts and the goals, as in Fig. ff_mountaincar(a)."""
    track = np.linspace(world.LEFT_WALL, world.RIGHT_WALL, 200)
    ax.plot(track, np.asarray(world.height(track)), color=style.INK, linewidth=style.LINE)
    starts = np.linspace(world.FIRST_START, world.LAST_START, 20)
    ax.plot(
        starts,
        np.asarray(world.height(starts)),
        color=style.SKY,
        linewidth=5,
        solid_capstyle="butt",
        label="starts",
        zorder=1,
    )
    goals = np.array(row["goals"])
    ax.plot(
        goals,
        np.asarray(world.height(goals)),
        "o",
        color=style.FAINT,
        markersize=3.5,
        label="goals",
    )
    for number, goal in enumerate(SHOWN_GOALS):
        place = float(world.height(np.array(goal)))
        ax.plot([goal, goal], [place, place + 0.12], color=style.colour(number), linewidth=1)
        ax.plot(goal + 0.025, place + 0.1, ">", color=style.colour(number), markersize=5)
    for wall in (world.LEFT_WALL, world.RIGHT_WALL):
        ax.axvline(wall, color=style.WALL, linewidth=2)
    label_axes(ax, "position", "height", title="(a) The world", legend="upper center")


def _values_by_power(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw mean values against power for both goals, and mark where each is highest."""
    for number, goal in enumerate(SHOWN_GOALS):
        samples = np.array([values_by_power(row, goal) for row in rows])
        colour = style.colour(number)
        mean_curve(ax, POWERS, samples, label=f"goal at {goal}", colour=colour, marker="o")
        peak = int(samples.mean(axis=0).argmax())
        ax.axvline(POWERS[peak], color=colour, linewidth=style.THIN, linestyle=":")
    ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    ax.legend(fontsize=style.TEXT, frameon=False, loc="best", handlelength=1.5)


def _values_by_goal(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw estimated, true and best values of the chosen policies, as in (c)."""
    goals = np.array(rows[0]["goals"])
    for name, colour in COLOURS.items():
        picks = [chosen(row) for row in where(rows, representation=name)]
        mean_curve(ax, goals, np.array([pick.true for pick in picks]), colour=colour)
        mean_curve(ax, goals, np.array([pick.estimate for pick in picks]), colour=colour)
        ax.lines[-1].set(linestyle="--", label=f"{name}, estimated")
        ax.lines[-2].set(label=f"{name}, true")
    best = chosen(rows[0]).best
    ax.plot(goals, best, color=style.INK, linewidth=style.LINE, linestyle=":", label="best of nine")
    ax.set_yscale("log")
    label_axes(ax, "goal position", "value of the chosen policy", title="(c) Policies chosen")
    ax.legend(fontsize=style.SMALL, frameon=False, ncols=2, handlelength=2, loc="best")


def _curves(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, 2, size=(style.PAGE * 0.8, 2.3))
    for ax, (name, colour) in zip(axes[0], COLOURS.items(), strict=True):
        samples = np.array([row["errors"] for row in where(rows, representation=name)])
        episodes = np.arange(1, samples.shape[1] + 1)
        mean_curve(ax, episodes, samples, colour=colour, half_width=standard_deviation)
        ax.set_ylim(bottom=0)
        label_axes(ax, "episode", "TD error (L2 norm)", title=name)
    return figure


def _features(rows: Sequence[Row]) -> Figure:
    counts = sorted(grouped(rows, "num_features").items())
    columns = min(4, len(counts))
    size = (style.PAGE, 1.7 * -(-len(counts) // columns) + 0.4)
    figure, axes = style.panels(None, len(counts), size, columns=columns)
    for ax, (count, here) in zip(axes, counts, strict=True):
        for name, colour in COLOURS.items():
            samples = np.array([row["strengths"] for row in where(here, representation=name)])
            scaled = samples / samples.mean(axis=0).max()
            mean_curve(ax, POWERS, scaled, label=name, colour=colour, marker="o")
        best = values_by_power(here[0], here[0]["example_goal"], "true").argmax()
        ax.axvline(POWERS[best], color=style.INK, linewidth=style.THIN, linestyle="--")
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
        label_axes(ax, "power", title=f"{count} features")
    for ax in axes[::columns]:
        ax.set_ylabel("strength / highest", fontsize=style.TEXT)
    axes[0].legend(fontsize=style.TEXT, frameon=False, handlelength=1.5)
    return figure


def _settings(rows: Sequence[Row]) -> Figure:
    groups = by_setting(rows)
    figure, axes = style.figure(1, 2, size=(style.PAGE, 0.24 * len(groups) + 0.9))
    for ax, measure, title in zip(
        axes[0], ("share", "ratio"), ("true value / best", "estimate / true value"), strict=True
    ):
        for name, colour in COLOURS.items():
            values = [
                measured(where(group, representation=name), measure) for group in groups.values()
            ]
            spread = [standard_deviation(each[:, None])[0] for each in values]
            means = [each.mean() for each in values]
            look = {"color": colour, "markersize": 4, "elinewidth": style.THIN, "label": name}
            ax.errorbar(means, range(len(groups)), xerr=spread, fmt="o", **look)
        ax.axvline(1, color=style.INK, linewidth=style.THIN, linestyle=":")
        ax.invert_yaxis()
        label_axes(ax, title)
    axes[0, 0].set_yticks(range(len(groups)), groups)
    axes[0, 1].set_yticks(range(len(groups)), [])
    axes[0, 1].set_xscale("log")
    axes[0, 0].legend(fontsize=style.TEXT, frameon=False, loc="best")
    return figure


def _readings(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, 2, size=(style.PAGE * 0.8, 2.4))
    for name, colour in COLOURS.items():
        here = sorted(where(rows, representation=name), key=lambda row: row["length"])
        lengths = [row["length"] for row in here]
        for ax, measure in zip(axes[0], ("ratio", "share"), strict=True):
            ax.plot(lengths, measured(here, measure), "o-", color=colour, label=name, markersize=3)
    for ax in axes[0]:
        ax.axhline(1, color=style.INK, linewidth=style.THIN, linestyle=":")
    axes[0, 0].set_yscale("log")
    label_axes(axes[0, 0], "length of the goal", "estimate / true value", legend="center right")
    label_axes(axes[0, 1], "length of the goal", "true value / best")
    return figure
