"""The figures: both tables with our values, how reward grows, the search, and the worlds."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from first_occupancy.environments import river_swim, six_arms
from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy.plotting.mdp_graphs import mdp_figure, star_layout
from first_occupancy_paper.rows.row import Row, where

from ..legends import legend_below
from .estimates import Estimate, estimates, searched, shown
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
    ours, published = shown(rows), estimates(where(rows, world="published"), "method")
    labels = [label for _, label in LABELS.values()]
    labels += [f"{method}, authors' code" for method in published]
    for number, (ax, task) in enumerate(zip(axes[0], TASKS, strict=True)):
        for method, colour in COLOURS.items():
            mean, error = PAPER[task, method]
            ax.axvspan(mean - error, mean + error, color=colour, alpha=0.25, linewidth=0)
            ax.axvline(mean, color=colour, linewidth=style.THIN)
        for place, (name, (method, _)) in enumerate(LABELS.items()):
            _dot(ax, place, ours[task, name], COLOURS[method])
        if task == "RiverSwim-6":
            for place, (method, mine) in enumerate(published.items(), start=len(LABELS)):
                _dot(ax, place, mine, COLOURS[method], hollow=True)
        ax.set_yticks(range(len(labels)), labels if number == 0 else [""] * len(labels))
        ax.set_ylim(len(labels) - 0.4, -0.6)
        ax.set_xscale("log")
        # Whole decades, because labels of smaller ticks would overlap.
        ax.set_xlim(10 ** np.floor(np.log10(min(ax.get_xlim()))), 4e6)
        ax.xaxis.set_minor_formatter(NullFormatter())
        label_axes(ax, title=task)
    is_full = where(rows, part="shown")[0]["curve_steps"][-1] == 5_000
    figure.supxlabel(
        "total reward in 5,000 steps (lines and bands: the paper's mean ± SE; dots: ours, 95%)"
        if is_full
        else "total reward in short trials (lines and bands: the paper's mean ± SE)",
        fontsize=style.TEXT,
    )
    return figure


def _dot(ax: Axes, place: int, mine: Estimate, colour: str, *, hollow: bool = False) -> None:
    above = mine.high - mine.mean
    # A heavy tail makes some intervals reach below 0, which a log axis cannot show.
    below = min(above, 0.9 * mine.mean)
    ax.errorbar(
        [mine.mean],
        [place],
        xerr=[[below], [above]],
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
            some = where(rows, part="shown", variant=name, task=task)
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
        label_axes(ax, "step", title=task)
    axes[0, 0].set_ylabel("mean total reward so far", fontsize=style.TEXT)
    legend_below(figure, axes[0, 0], ncols=3, fontsize=style.SMALL)
    return figure


def _search(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(1, 2, size=(style.PAGE, 2.8))
    for ax, (across, up) in zip(axes[0], (TASKS[:2], TASKS[1:3]), strict=True):
        for bonus, colour in BONUSES.items():
            some = searched(where(rows, bonus=bonus))
            ax.scatter(
                [reading[across].mean for reading in some],
                [reading[up].mean for reading in some],
                s=9,
                color=colour,
                label=f"FR, {bonus}",
                linewidths=0,
            )
        paper = [PAPER[task, "Sarsa+FR"][0] for task in (across, up)]
        ax.scatter(*paper, s=90, marker="*", color=style.GOAL, edgecolors=style.INK, label="paper")
        ax.set_xscale("log")
        ax.set_yscale("log")
        label_axes(ax, f"total reward on {across}", f"on {up}")
    axes[0, 0].legend(fontsize=style.SMALL, frameon=False, loc="upper left")
    figure.suptitle("Sarsa+FR: each dot is one reading, 100 trials", fontsize=style.TITLE)
    return figure
