"""Figures: the curve over K, differences per subject, phases, disagreements and detours.

Forest plots: a point for each subject, and the mean with its interval, for each model.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes, mean_curve

from .. import Row, grouped, where
from ..answers import mean_of
from .candidates import BEST, PLANNERS, SWITCHES
from .disagreements import shares
from .numbers import Fits, by_layout, fits_by_species, posterior_over_switches, scores
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
    *PLANNERS,
    "model-based",
    "SR + FRP, K = 9",
    "FRP, K = 9, turning",
)


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name; none without rows."""
    fits = fits_by_species(rows)
    if not fits:
        return {}
    return {
        "switches": _switches(fits),
        "subjects": _subjects(fits),
        "phases": _phases(fits),
        "disagreements": _disagreements(grouped(where(rows, kind="disagreement"), "species")),
        "detours": _detours(fits),
    }


def _switches(fits: Mapping[str, Fits]) -> Figure:
    figure, axes = style.figure(1, len(fits), size=(style.PAGE, 2.6))
    for ax, (species, own) in zip(axes[0], fits.items(), strict=True):
        choices = np.array(own["SR"]["choices"], float)[:, None]
        logs = scores(own, PLANNERS) / choices
        mean_curve(ax, np.array(SWITCHES), logs, label="FRP, K switches", marker="o")
        for name, colour in LEVELS.items():
            level = (scores(own, [name]) / choices).mean()
            ax.axhline(level, color=colour, label=name, linewidth=style.LINE)
        label_axes(ax, "largest number of switches, K", "held-out nats per choice", title=species)
    label_axes(axes[0, -1], "largest number of switches, K", legend="lower right")
    return figure


def _subjects(fits: Mapping[str, Fits]) -> Figure:
    figure, axes = style.figure(1, len(fits), size=(style.PAGE, 3.4))
    for ax, (species, own) in zip(axes[0], fits.items(), strict=True):
        above = scores(own, COMPARED) - scores(own, ["SR"])
        forest_plot(ax, COMPARED, above, label="held-out nats above the SR")
        ax.set_title(species, fontsize=style.TITLE)
    return figure


def _phases(fits: Mapping[str, Fits]) -> Figure:
    """Draw the posterior over K, averaged over subjects, for each phase of learning."""
    figure, axes = style.figure(1, len(fits), size=(style.PAGE, 2.8))
    for ax, (species, own) in zip(axes[0], fits.items(), strict=True):
        means = np.stack([posterior_over_switches(own, phase).mean(axis=0) for phase in PHASES])
        left = np.zeros(len(PHASES))
        for place, switches in enumerate(SWITCHES):
            colour = style.colour(place)
            label = f"K = {switches}"
            ax.barh(range(len(PHASES)), means[:, place], left=left, color=colour, label=label)
            left += means[:, place]
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


def _disagreements(rows: Mapping[str, Sequence[Row]]) -> Figure:
    """Draw, for each pair of models, how often subjects made either one's move."""
    figure, axes = style.figure(1, len(rows), size=(style.PAGE, 2.6))
    for ax, (species, own) in zip(axes[0], rows.items(), strict=True):
        names = [f"{row['first']} or\n{row['second']}" for row in own]
        found = np.stack([shares(row) for row in own], axis=1)
        label = "lower model's share less the upper's"
        forest_plot(ax, names, found[..., 1] - found[..., 0], label=label)
        ax.set_title(species, fontsize=style.TITLE)
    return figure


def _detours(fits: Mapping[str, Fits]) -> Figure:
    """Draw detours in each layout, recorded against simulated."""
    figure, axes = style.figure(1, len(fits), size=(style.PAGE, 3.0))
    for ax, (species, own) in zip(axes[0], fits.items(), strict=True):
        pair = [by_layout(own[BEST], f"{who}_detours") for who in ("recorded", "simulated")]
        ax.plot(*pair, "o", color=style.BLUE, markersize=3)
        most = float(np.nanmax(pair))
        ax.plot([0, most], [0, most], color=style.FAINT, linewidth=style.THIN)
        label_axes(ax, "recorded moves beyond the shortest path", "simulated", title=species)
    return figure
