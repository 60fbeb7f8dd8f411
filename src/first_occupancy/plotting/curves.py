"""Curves of repeated runs, with the uncertainty of their means."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Float, Num
from matplotlib.axes import Axes

from first_occupancy.core.errors import InputError
from first_occupancy.plotting import style

HalfWidth = Callable[[np.ndarray], np.ndarray]
"""A function from samples [R X] to half the height of the band at each x."""


def standard_deviation(samples: Float[np.ndarray, "R X"]) -> Float[np.ndarray, " X"]:
    """Return the standard deviation of the runs at each x; 0 for a single run."""
    if len(samples) == 1:
        return np.zeros(samples.shape[1])
    return samples.std(axis=0, ddof=1)


def standard_error(samples: Float[np.ndarray, "R X"]) -> Float[np.ndarray, " X"]:
    """Return the standard error of the mean of the runs at each x; 0 for a single run."""
    return standard_deviation(samples) / np.sqrt(len(samples))


def mean_curve(
    ax: Axes,
    x: Num[ArrayLike, " X"],
    samples: Num[ArrayLike, "R X"],
    *,
    label: str | None = None,
    colour: str = style.FR,
    marker: str | None = None,
    half_width: HalfWidth = standard_error,
) -> Axes:
    """Return the Axes with the mean of R runs as a line, in a band of their half width.

    Args:
        ax: where to draw.
        x: where the samples were taken, the same for all runs.
        samples: one row for each run.
        label: name of the curve in a legend.
        colour: colour of line and band.
        marker: matplotlib's marker for the points of the line; none by default.
        half_width: function from the samples to half the height of the band, as
            `standard_error` or `standard_deviation`.

    Raises:
        InputError: if there are no runs.
    """
    x, samples = np.asarray(x), np.asarray(samples, dtype=float)
    if samples.shape[0] == 0:
        raise InputError("mean_curve: samples must hold at least one run, got none")
    mean, half = samples.mean(axis=0), half_width(samples)
    ax.plot(x, mean, color=colour, label=label, linewidth=style.LINE, marker=marker, markersize=3)
    ax.fill_between(x, mean - half, mean + half, color=colour, alpha=0.2, linewidth=0)
    return ax


def label_axes(
    ax: Axes, x: str = "", y: str = "", *, title: str | None = None, legend: str | None = None
) -> Axes:
    """Return the Axes with labels, and with a title and a legend if they are asked for.

    Args:
        ax: Axes to label.
        x: name of the x axis.
        y: name of the y axis.
        title: text above the Axes.
        legend: where to put a legend, as in "upper left"; without it there is none.
    """
    ax.set_xlabel(x, fontsize=style.TEXT)
    ax.set_ylabel(y, fontsize=style.TEXT)
    if title is not None:
        ax.set_title(title, fontsize=style.TITLE)
    if legend is not None:
        look: dict[str, Any] = {"fontsize": style.TEXT, "frameon": False, "handlelength": 1.5}
        ax.legend(**look | {"loc": legend})
    return ax
