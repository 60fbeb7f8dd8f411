"""The figures: both tables with our values, how reward grows, the search, and the worlds."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from first_occupancy.environments import river_swim, six_arms
from first_occupancy.plotting import style
from first_occupancy.plotting.mdp_graphs import mdp_figure, star_layout
from first_occupancy_paper.rows.row import Row

from ..legends import legend_below
from .estimates import Estimate, estimate, searched, shown, task_estimate
from .protocols import PAPER, TASKS

COLOURS = {"Sarsa": style.INK, "Sarsa+SR": style.SR, "Sarsa+FR": style.FR}
LABELS = {
    "sarsa": ("Sarsa", "Sarsa"),
    "sarsa_random_start": ("Sarsa", "Sarsa, $Q$ starts in [0, 1)"),
    "sr_drawn_anew": ("Sarsa+SR", r"SR, $\beta/\|M(s)\|_1$, drawn anew"),
    "sr_taken_next": ("Sarsa+SR", r"SR, $\beta/\|M(s)\|_1$, taken next"),
    "fr_printed": ("Sarsa+FR", r"FR as printed, $+\beta\|F(s)\|_1$"),
    "fr_inverse": ("Sarsa+FR", r"FR, $\beta/\|F(s')\|_1$"),
    "fr_inverse_pairs": ("Sarsa+FR", r"FR, $\beta/\|F(s',a')\|_1$"),
    "fr_negative": ("Sarsa+FR", r"FR, $-\beta\|F(s)\|_1$"),
}
BONUSES = {"printed": style.TEAL, "inverse": style.PURPLE, "negative": style.BLUE}


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    figures = {"tables": _tables(rows), "learning": _learning(rows)}
    if searched(rows):
        figures["search"] = _search(rows)
    figures["river_swim"] = mdp_figure(river_swim())
    figures["six_arms"] = mdp_figure(six_arms(), positions=star_layout(7))
    return figures


def _tables(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, len(TASKS), size=(style.PAGE, 3.0))
    ours, names = shown(rows), list(LABELS)
    published = {
        method: [
            row for row in rows if (row.get("world"), row.get("method")) == ("published", method)
        ]
        for method in COLOURS
    }
    published = {method: found for method, found in published.items() if found}
    for number, (ax, task) in enumerate(zip(axes[0], TASKS, strict=True)):
        for method, colour in COLOURS.items():
            mean, error = PAPER[task, method]
            ax.axvspan(mean - error, mean + error, color=colour, alpha=0.25, linewidth=0)
            ax.axvline(mean, color=colour, linewidth=style.THIN)
        for place, name in enumerate(names):
            _dot(ax, place, ours[task, name], COLOURS[LABELS[name][0]])
        if task == "RiverSwim-6":
            for place, (method, found) in enumerate(published.items(), start=len(names)):
                _dot(ax, place, estimate(found), COLOURS[method], hollow=True)
        labels = [LABELS[name][1] for name in names]
        labels += [f"{method}, authors' code" for method in published]
        ax.set_yticks(range(len(labels)), labels if number == 0 else [""] * len(labels))
        ax.set_ylim(len(labels) - 0.4, -0.6)
        ax.set_xscale("log")
        # Whole decades, because labels of smaller ticks would overlap.
        ax.set_xlim(10 ** np.floor(np.log10(min(ax.get_xlim()))), 4e6)
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_title(task, fontsize=style.TITLE)
    figure.supxlabel(
        "total reward in 5,000 steps (lines and bands: the paper's mean ± SE; dots: ours, 95%)"
        if not _is_short(rows)
        else "total reward in short trials (lines and bands: the paper's mean ± SE)",
        fontsize=style.TEXT,
    )
    return figure


def _dot(ax: Axes, place: int, mine: Estimate, colour: str, *, hollow: bool = False) -> None:
    # A heavy tail makes some intervals reach below 0, which a log axis cannot show.
    below = min(mine.half_width, 0.9 * mine.mean)
    ax.errorbar(
        [mine.mean],
        [place],
        xerr=[[below], [mine.half_width]],
        fmt="o",
        markersize=4,
        color=colour,
        markerfacecolor="white" if hollow else colour,
        elinewidth=style.LINE,
        capsize=2,
    )


def _learning(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, len(TASKS), size=(style.PAGE, 2.5))
    lines = {"sr_taken_next": ":", "fr_inverse": ":", "fr_inverse_pairs": "--", "fr_negative": "-."}
    for ax, task in zip(axes[0], TASKS, strict=True):
        for name, (method, label) in LABELS.items():
            some = [
                row
                for row in rows
                if (row["part"], row.get("variant"), row["task"]) == ("shown", name, task)
            ]
            means = np.mean([row["curve_means"] for row in some], axis=0)
            ax.plot(
                some[0]["curve_steps"],
                np.maximum(means, 1),
                color=style.FAINT if name == "sarsa_random_start" else COLOURS[method],
                linestyle=lines.get(name, "-"),
                linewidth=style.LINE,
                label=label,
            )
        ax.set_yscale("log")
        ax.set_title(task, fontsize=style.TITLE)
        ax.set_xlabel("step", fontsize=style.TEXT)
    axes[0, 0].set_ylabel("mean total reward so far", fontsize=style.TEXT)
    legend_below(figure, axes[0, 0], ncols=3, fontsize=style.SMALL)
    return figure


def _search(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, 2, size=(style.PAGE, 2.8))
    readings = searched(rows)
    for ax, (across, up) in zip(axes[0], (TASKS[:2], TASKS[1:3]), strict=True):
        for bonus, colour in BONUSES.items():
            some = [reading for reading in readings if reading["bonus"] == bonus]
            ax.scatter(
                [task_estimate(reading, across).mean for reading in some],
                [task_estimate(reading, up).mean for reading in some],
                s=9,
                color=colour,
                label=f"FR, {bonus}",
                linewidths=0,
            )
        paper = [PAPER[task, "Sarsa+FR"][0] for task in (across, up)]
        ax.scatter(*paper, s=90, marker="*", color=style.GOAL, edgecolors=style.INK, label="paper")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel(f"total reward on {across}", fontsize=style.TEXT)
        ax.set_ylabel(f"on {up}", fontsize=style.TEXT)
    axes[0, 0].legend(fontsize=style.SMALL, frameon=False, loc="upper left")
    figure.suptitle("Sarsa+FR: each dot is one reading, 100 trials", fontsize=style.TITLE)
    return figure


def _is_short(rows: Sequence[Row]) -> bool:
    return max(row["curve_steps"][-1] for row in rows if "curve_steps" in row) < 5_000
