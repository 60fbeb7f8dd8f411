"""Figures: the curve over K, differences per subject, phases, disagreements and detours.

Forest plots: a point for each subject, and the mean with its interval, for each model.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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
    pairs = grouped(where(rows, kind="disagreement"), "species")
    switches, phases = _figure(_switches, fits, 2.6), _figure(_phases, fits, 2.8)
    label_axes(switches.axes[-1], "largest number of switches, K", legend="lower right")
    phases.legend(
        *phases.axes[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(SWITCHES),
        fontsize=style.SMALL,
    )
    return {
        "switches": switches,
        "subjects": _figure(_subjects, fits, 3.4),
        "phases": phases,
        "disagreements": _figure(_disagreements, pairs, 2.6),
        "detours": _figure(_detours, fits, 3.0),
    }


def _figure(
    draw: Callable[[Axes, Any], None], by_species: Mapping[str, Any], height: float
) -> Figure:
    """Return a figure with a panel for each species."""
    figure, axes = style.figure(1, len(by_species), size=(style.PAGE, height))
    for ax, (species, own) in zip(axes[0], by_species.items(), strict=True):
        draw(ax, own)
        ax.set_title(species, fontsize=style.TITLE)
    return figure


def _switches(ax: Axes, fits: Fits) -> None:
    choices = np.array(fits["SR"]["choices"], float)[:, None]
    logs = scores(fits, PLANNERS) / choices
    mean_curve(ax, np.array(SWITCHES), logs, label="FRP, K switches", marker="o")
    for name, colour in LEVELS.items():
        level = (scores(fits, [name]) / choices).mean()
        ax.axhline(level, color=colour, label=name, linewidth=style.LINE)
    label_axes(ax, "largest number of switches, K", "held-out nats per choice")


def _subjects(ax: Axes, fits: Fits) -> None:
    above = scores(fits, COMPARED) - scores(fits, ["SR"])
    forest_plot(ax, COMPARED, above, label="held-out nats above the SR")


def _phases(ax: Axes, fits: Fits) -> None:
    """Draw the posterior over K, averaged over subjects, for each phase of learning."""
    means = np.stack([posterior_over_switches(fits, phase).mean(axis=0) for phase in PHASES])
    left = np.zeros(len(PHASES))
    for place, switches in enumerate(SWITCHES):
        colour = style.colour(place)
        label = f"K = {switches}"
        ax.barh(range(len(PHASES)), means[:, place], left=left, color=colour, label=label)
        left += means[:, place]
    ax.set_yticks(range(len(PHASES)), PHASES, fontsize=style.TEXT)
    ax.invert_yaxis()
    label_axes(ax, "posterior over K, mean over subjects")


def _disagreements(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw, for each pair of models, how often subjects made either one's move."""
    names = [f"{row['first']} or\n{row['second']}" for row in rows]
    found = np.stack([shares(row) for row in rows], axis=1)
    label = "lower model's share less the upper's"
    forest_plot(ax, names, found[..., 1] - found[..., 0], label=label)


def _detours(ax: Axes, fits: Fits) -> None:
    """Draw detours in each layout, recorded against simulated."""
    pair = [by_layout(fits[BEST], f"{who}_detours") for who in ("recorded", "simulated")]
    ax.plot(*pair, "o", color=style.BLUE, markersize=3)
    most = float(np.nanmax(pair))
    ax.plot([0, most], [0, most], color=style.FAINT, linewidth=style.THIN)
    label_axes(ax, "recorded moves beyond the shortest path", "simulated")
