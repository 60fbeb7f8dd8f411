"""Figures: the curve over K, differences per subject, phases, disagreements and detours.

Forest plots: a point for each subject, and the mean with its interval, for each model.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes, mean_curve
from first_occupancy_paper.rows.row import Row

from ..answers import mean_of
from .candidates import SWITCHES
from .numbers import (
    SPECIES,
    by_layout,
    chosen,
    disagreements,
    posterior_over_switches,
    scores,
    switch_names,
)
from .simulated import PHASES


def forest_plot(
    ax: Axes, names: Sequence[str], differences: Float[np.ndarray, "I M"], label: str
) -> None:
    """Draw the differences of each subject, by model, with the mean and its 95% interval.

    Args:
        ax: Axes to draw into.
        names: names of the models, from top to bottom.
        differences: differences by subject and model.
        label: what the differences are.
    """
    places = np.arange(len(names))[::-1]
    for place, column in zip(places, differences.T, strict=True):
        aside = np.linspace(-0.2, 0.2, len(column)) if len(column) > 1 else np.zeros(1)
        ax.plot(column, place + aside, "o", color=style.FAINT, markersize=2.5, zorder=2)
        look = {"fmt": "s", "color": style.INK, "markersize": 4, "zorder": 3, "capsize": 2}
        mean, half = mean_of(column)
        ax.errorbar(mean, place, xerr=half, elinewidth=style.LINE, **look)
    ax.axvline(0, color=style.CELL_EDGE, linewidth=style.LINE, zorder=1)
    ax.set_yticks(places, list(names), fontsize=style.TEXT)
    ax.set_xlabel(label, fontsize=style.TEXT)


LEVELS = {"SR": style.SR, "turning biases": style.ORANGE, "FRP, K = 9, turning": style.BLUE}
"""Models that are drawn as horizontal lines."""

COMPARED = (
    "turning biases",
    "Q-learning",
    "SR with traces",
    "SR, turning",
    *switch_names(),
    "model-based",
    "SR + FRP, K = 9",
    "FRP, K = 9, turning",
)


DETOURS_OF = "FRP, K = 9, turning"
"""Model whose simulated detours are drawn."""


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name; none without rows."""
    present = [species for species in SPECIES if chosen(rows, species, switch_names()[-1])]
    if not present:
        return {}
    figures = {
        "switches": _switches(rows, present),
        "subjects": _subjects(rows, present),
        "phases": _phases(rows, present),
    }
    if all(disagreements(rows, species) for species in present):
        figures["disagreements"] = _disagreements(rows, present)
    simulated = [chosen(rows, species, DETOURS_OF) for species in present]
    if all(row is not None and "simulated_detours" in row for row in simulated):
        figures["detours"] = _detours(rows, present)
    return figures


def _switches(rows: Sequence[Row], present: Sequence[str]) -> Figure:
    figure, axes = style.figure(1, len(present), size=(style.PAGE, 2.6))
    for ax, species in zip(axes[0], present, strict=True):
        names, values = scores(rows, species, switch_names())
        row = chosen(rows, species, names[-1])
        assert row is not None
        choices = np.array(row["choices"], float)[:, None]
        places = np.array([SWITCHES[switch_names().index(name)] for name in names])
        mean_curve(ax, places, values / choices, label="FRP, K switches", marker="o")
        for name, colour in LEVELS.items():
            _, level = scores(rows, species, [name])
            if level.size:
                ax.axhline((level / choices).mean(), color=colour, label=name, linewidth=style.LINE)
        label_axes(ax, "largest number of switches, K", "held-out nats per choice", title=species)
    label_axes(axes[0, -1], "largest number of switches, K", legend="lower right")
    return figure


def _subjects(rows: Sequence[Row], present: Sequence[str]) -> Figure:
    figure, axes = style.figure(1, len(present), size=(style.PAGE, 3.4))
    for ax, species in zip(axes[0], present, strict=True):
        names, values = scores(rows, species, COMPARED)
        _, reference = scores(rows, species, ["SR"])
        forest_plot(ax, names, values - reference, label="held-out nats above the SR")
        ax.set_title(species, fontsize=style.TITLE)
    return figure


def _phases(rows: Sequence[Row], present: Sequence[str]) -> Figure:
    """Draw the posterior over K, averaged over subjects, for each phase of learning."""
    figure, axes = style.figure(1, len(present), size=(style.PAGE, 2.8))
    for ax, species in zip(axes[0], present, strict=True):
        shares = np.stack(
            [posterior_over_switches(rows, species, phase).mean(axis=0) for phase in PHASES]
        )
        left = np.zeros(len(PHASES))
        for place, switches in enumerate(SWITCHES):
            colour = style.colour(place)
            label = f"K = {switches}"
            ax.barh(range(len(PHASES)), shares[:, place], left=left, color=colour, label=label)
            left += shares[:, place]
        ax.set_yticks(range(len(PHASES)), PHASES, fontsize=style.TEXT)
        ax.invert_yaxis()
        label_axes(ax, "posterior over K, mean over subjects", title=species)
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(SWITCHES),
        fontsize=style.SMALL,
    )
    return figure


def _disagreements(rows: Sequence[Row], present: Sequence[str]) -> Figure:
    """Draw, for each pair of models, how often subjects made either one's move."""
    figure, axes = style.figure(1, len(present), size=(style.PAGE, 2.6))
    for ax, species in zip(axes[0], present, strict=True):
        found = disagreements(rows, species)
        names = [f"{first} or\n{second}" for first, second in found]
        differences = np.stack([shares[:, 1] - shares[:, 0] for shares in found.values()], axis=1)
        label = "lower model's share less the upper's"
        forest_plot(ax, names, differences, label=label)
        ax.set_title(species, fontsize=style.TITLE)
    return figure


def _detours(rows: Sequence[Row], present: Sequence[str]) -> Figure:
    """Draw detours in each layout, recorded against simulated."""
    figure, axes = style.figure(1, len(present), size=(style.PAGE, 3.0))
    for ax, species in zip(axes[0], present, strict=True):
        row = chosen(rows, species, DETOURS_OF)
        assert row is not None
        pair = [by_layout(row, f"{who}_detours") for who in ("recorded", "simulated")]
        ax.plot(*pair, "o", color=style.BLUE, markersize=3)
        most = float(np.nanmax(pair))
        ax.plot([0, most], [0, most], color=style.FAINT, linewidth=style.THIN)
        label_axes(ax, "recorded moves beyond the shortest path", "simulated", title=species)
    return figure
