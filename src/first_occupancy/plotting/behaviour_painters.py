"""Pictures of recorded animals: tracks, where they spent their time, and which model fits."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from first_occupancy.plotting import style
from first_occupancy.plotting.arena_figures import arena_map, arena_maps, tracked_path


def paint_tracking(track: Any, ax: Axes | None = None, *, arena: Any = None) -> Figure:
    """Return a picture of a track in metres, broken in its gaps."""
    figure, ax = style.canvas(ax, (style.COLUMN, style.COLUMN))
    if arena is not None:
        arena_map(ax, arena, np.full(arena.num_states, np.nan), label=None)
    tracked_path(ax, track.positions)
    ax.set(xlabel="metres", ylabel="metres", aspect="equal")
    return figure


def paint_visits(
    visits: Any,
    ax: Axes | None = None,
    *,
    vmin: float | int | None = None,
    vmax: float | int | None = None,
    logarithmic: bool = False,
) -> Figure:
    """Return a picture of the time spent in each cell; cells never visited stay white."""
    spent = np.where(visits.times > 0, visits.times, np.nan)
    label = "seconds" if visits.timed else "frames"
    low = 0.0 if vmin is None and not logarithmic else vmin
    return arena_maps(
        visits.arena, {"time spent": spent}, ax, label=label, limits=(low, vmax), log=logarithmic
    )


def paint_comparison(comparison: Any, ax: Axes | None = None) -> Figure:
    """Return each model's score per choice, of all subjects and of each; sums are written."""
    choices = np.asarray(comparison.fits[0].num_choices, float)
    scores = comparison.scores
    means = scores.sum(axis=0) / choices.sum()
    order = np.argsort(means)
    figure, ax = style.canvas(ax, (style.PAGE * 0.7, 0.6 + 0.32 * len(order)))
    places = np.arange(len(order))
    best = comparison.names.index(comparison.best)
    colours = [style.FR if number == best else style.FAINT for number in order]
    ax.hlines(places, means[order], means.max(), color=colours, linewidth=style.LINE)
    ax.scatter(means[order], places, color=colours, s=36, zorder=3)
    for place, number in zip(places, order, strict=True):
        if len(choices) > 1:
            own = scores[:, number] / choices
            ax.scatter(own, np.full(len(own), place), s=6, color=style.INK, alpha=0.5, zorder=4)
        text = f"{scores[:, number].sum():,.1f}".replace("-", "−")
        where = {"textcoords": "offset points", "xytext": (0, 6), "ha": "center"}
        ax.annotate(text, (means[number], place), fontsize=style.SMALL, **where)
    ax.set_yticks(places, [style.literal(comparison.names[number]) for number in order])
    held = comparison.held_out is not None
    ax.set_xlabel(f"{'held-out log-likelihood' if held else '−BIC / 2'} per choice, in nats")
    ax.margins(x=0.12)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.set_ylim(-0.5, len(order) - 0.2)
    return figure
