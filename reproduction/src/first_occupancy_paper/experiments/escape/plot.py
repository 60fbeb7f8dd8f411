"""The figures: both escapes, what was explored and learned, TD errors, the SR, and the rates.

The run that is highlighted is always the first one of the first seed, whatever its outcome; the
others are faint lines behind it.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes, mean_curve, standard_deviation
from first_occupancy.plotting.maze_figures import draw_world, heat_map, mark_start_and_goals
from first_occupancy.plotting.maze_walks import trajectory
from first_occupancy_paper.rows.row import Row

from ..legends import legend_below
from . import arena, rates
from .rates import Behaviour, select

SIZE = 25
FIRST_AND_OTHERS = "coloured: the first run of the first seed; grey: the other runs"
COLOURS = {"FR": style.FR, "SR": style.SR}
FR_NAMES = {"printed": "as printed", "feeling": "feels the wall", "open": "no barrier"}
FR_PANELS = [(variant, trial) for trial in ("trial_1", "trial_2") for variant in FR_NAMES]
SR_NAMES = {"printed": "SR, barrier", "open": "SR, no barrier"}
SR_PANELS = [("open", "trial_1"), ("printed", "trial_1"), ("printed", "trial_2")]


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    return {
        "mouse": _escapes(rows, "FR", FR_NAMES, FR_PANELS, height=5.0),
        "representations": _representations(rows),
        "curves": _curves(rows),
        "sr": _escapes(rows, "SR", SR_NAMES, SR_PANELS, height=2.7),
        "rates": _rates(rows),
    }


def _escapes(
    rows: Sequence[Row],
    representation: str,
    names: Mapping[str, str],
    panels: Sequence[tuple[str, str]],
    *,
    height: float,
) -> Figure:
    """Return the figure of the walks of some variants and trials; three panels stand in a row."""
    figure, axes = style.figure(len(panels) // 3, 3, size=(style.PAGE, height))
    for ax, (variant, trial) in zip(axes.flat, panels, strict=True):
        shown = select(rows, variant, representation, detailed=True)
        _walks(ax, shown, trial, names[variant])
    figure.supxlabel(FIRST_AND_OTHERS, fontsize=style.TEXT)
    return figure


def _walks(ax: Axes, shown: Sequence[Row], trial: str, name: str) -> None:
    """Draw the first run's walk over those of the others."""
    barrier = shown[0]["variant"] != "open"
    world, empty = arena.arena(SIZE, barrier), arena.arena(SIZE, False)
    draw_world(ax, world)
    for row in shown[1:]:
        y, x = empty.cells[row[trial]["walk"]].T
        ax.plot(x, y, color=style.FAINT, linewidth=style.THIN, alpha=0.6, zorder=2)
    first = shown[0][trial]
    states = [world.state(*empty.cell(state)) for state in first["walk"]]
    trajectory(ax, world, states, colour=COLOURS[shown[0]["representation"]])
    mark_start_and_goals(ax, world)
    number = trial.removeprefix("trial_")
    end = f"{first['steps']} steps" if first["reached"] else "not there"
    ax.set_title(f"{name}, trial {number}: {end}", fontsize=style.TEXT)


def _representations(rows: Sequence[Row]) -> Figure:
    """Return a sample exploration, and 'down' from the start: FR before and after, SR after."""
    fr, sr = (select(rows, "printed", name, detailed=True)[0] for name in ("FR", "SR"))
    figure, axes = style.figure(2, 3, size=(style.PAGE, 3.9))
    _explored(axes[0, 0], fr)
    _from_start(axes[0, 1], fr["before"], r"$F$", "FR before trial 1", top=1.0)
    _from_start(axes[0, 2], fr["after"], r"$F$", "FR after exploration 2", top=1.0)
    _from_start(axes[1, 0], fr["exact"], r"$F$", "FR, exact", top=1.0)
    _from_start(axes[1, 1], sr["after"], r"$M$", "SR after exploration 2", top=100.0)
    _from_start(axes[1, 2], sr["exact"], r"$M$", "SR, exact", top=100.0)
    return figure


def _explored(ax: Axes, row: Row) -> None:
    world, empty = arena.arena(SIZE, True), arena.arena(SIZE, False)
    draw_world(ax, world)
    y, x = empty.cells[row["explored"]].T
    ax.plot(x, y, color=style.FR, linewidth=style.THIN, zorder=3)
    mark_start_and_goals(ax, world)
    ax.set_title(f"exploration, {len(x)} steps", fontsize=style.TITLE)


def _from_start(ax: Axes, values: list[float], symbol: str, title: str, *, top: float) -> None:
    """Draw what 'down' reaches from the start on a log scale; unreached states are blank."""
    world, empty = arena.arena(SIZE, True), arena.arena(SIZE, False)
    kept = np.asarray(values)[world.free[empty.free]]
    label = rf"{symbol}$(s_0, \cdot)$ of 'down'"
    heat_map(ax, world, np.where(kept > 0, kept, np.nan), label=label, norm=LogNorm(0.01, top))
    ax.set_title(title, fontsize=style.TITLE)


def _curves(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(2, 3, size=(style.PAGE, 3.6))
    for row_axes, name in zip(axes, ("FR", "SR"), strict=True):
        shown = select(rows, "printed", name, detailed=True)
        for ax, key, title in (
            (row_axes[0], "errors_1", "exploration 1"),
            (row_axes[2], "errors_2", "exploration 2"),
        ):
            length = min(len(row[key]) for row in shown)
            samples = np.array([row[key][:length] for row in shown])
            times = np.arange(length) + 1
            mean_curve(ax, times, samples, colour=COLOURS[name], half_width=standard_deviation)
            label_axes(ax, "updates of 'down'", f"{name}: |TD error|", title=title)
        _trial_curve(row_axes[1], shown, name)
        for ax in row_axes:
            ax.set_ylim(0, 1.3)
    return figure


def _trial_curve(ax: Axes, shown: Sequence[Row], name: str) -> None:
    """Draw the errors of trial 1 at each step, over the runs that follow 'down' there."""
    errors = np.full((len(shown), 50), np.nan)
    for number, row in enumerate(shown):
        errors[number, row["trial_times"]] = row["trial_errors"]
    times = np.flatnonzero((~np.isnan(errors)).all(axis=0))
    mean_curve(ax, times + 1, errors[:, times], colour=COLOURS[name], half_width=standard_deviation)
    hits = [row["trial_1"]["first_hit"] for row in shown if row["trial_1"]["hits"]]
    for hit in sorted(set(hits)):
        ax.axvline(hit + 1, color=style.INK, linewidth=style.THIN, linestyle=":")
    label_axes(ax, "step of the trial", f"{name}: |TD error|", title="escape trial 1")


BEHAVIOURS: tuple[tuple[str, Behaviour], ...] = (
    ("trial 1 hits the barrier", rates.hits_first),
    ("trial 1 gets past it", rates.round_first),
    ("trial 2 in shelter, no hit", rates.avoids_second),
    ("trial 2 shorter", rates.shorter_second),
    ("all: hit, shelter, then shorter, no hit", rates.whole_story),
)


def _rates(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, 3, size=(style.PAGE, 2.9))
    names = {"printed": "as printed", "feeling": "feels the wall", "new barrier": "new barrier"}
    for ax, (variant, title) in zip(axes[0], names.items(), strict=True):
        runs = select(rows, variant)
        for number, (_, behaviour) in enumerate(BEHAVIOURS):
            _rate_curve(ax, runs, behaviour, number)
        ax.set(xscale="log", ylim=(-0.03, 1.03), xlim=(20, 1250))
        ax.set_xticks([25, 100, 400, 1000], ["25", "100", "400", "1000"])
        ax.minorticks_off()
        label_axes(ax, "steps per exploration episode", "share of runs", title=title)
    legend_below(figure, axes[0, 0], ncols=3)
    return figure


def _rate_curve(ax: Axes, runs: Sequence[Row], behaviour: Behaviour, number: int) -> None:
    """Draw a behaviour's share against the length, with Wilson's interval at each point."""
    lengths, found = zip(*rates.by_length(runs, behaviour), strict=True)
    shares = np.array([rate.share for rate in found])
    # A small horizontal shift separates curves that would cover each other.
    x = np.array(lengths) * (1 + 0.03 * (number - 2))
    gaps = [shares - [rate.low for rate in found], [rate.high for rate in found] - shares]
    ax.errorbar(
        x,
        shares,
        yerr=np.maximum(gaps, 0),
        color=style.colour(number),
        label=BEHAVIOURS[number][0],
        linewidth=style.LINE,
        elinewidth=style.THIN,
        marker="o",
        markersize=2.5,
    )
