"""Curves and bars of repeated runs, with how far their means may be off."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Float, Num
from matplotlib.axes import Axes

from first_occupancy.core.errors import InputError
from first_occupancy.plotting import style

HalfWidth = Callable[[np.ndarray], np.ndarray]
"""From samples [R, X] to half the height of the band at each x."""


def standard_deviation(samples: Float[np.ndarray, "R X"]) -> Float[np.ndarray, " X"]:
    """Return the spread of the runs at each x; 0 for a single run, which shows none."""
    if len(samples) == 1:
        return np.zeros(samples.shape[1])
    return samples.std(axis=0, ddof=1)


def standard_error(samples: Float[np.ndarray, "R X"]) -> Float[np.ndarray, " X"]:
    """Return how far the mean of the runs is likely off at each x."""
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
    """Return the Axes with the mean of R runs as a line and its half width as a band."""
    x, samples = np.asarray(x), np.asarray(samples, dtype=float)
    if samples.shape[0] == 0:
        raise InputError("mean_curve: samples must hold at least one run, got none")
    mean, half = samples.mean(axis=0), half_width(samples)
    ax.plot(x, mean, color=colour, label=label, linewidth=style.LINE, marker=marker, markersize=3)
    ax.fill_between(x, mean - half, mean + half, color=colour, alpha=0.2, linewidth=0)
    return ax


def bars_with_intervals(
    ax: Axes,
    names: Sequence[str],
    means: Num[ArrayLike, " X"],
    half_widths: Num[ArrayLike, " X"],
    *,
    colours: Sequence[str] | None = None,
) -> Axes:
    """Return the Axes with a bar per name and an interval around its height."""
    means, half_widths = np.asarray(means), np.asarray(half_widths)
    if len(names) != len(means):
        raise InputError(
            f"bars_with_intervals: names must be {len(means)}, one for each mean, got {len(names)}"
        )
    places = np.arange(len(names))
    if colours is None:
        colours = [style.colour(number) for number in range(len(names))]
    ax.bar(places, means, width=0.65, color=list(colours))
    ax.errorbar(
        places,
        means,
        yerr=half_widths,
        fmt="none",
        ecolor=style.INK,
        elinewidth=style.THIN,
        capsize=2,
        capthick=style.THIN,
    )
    ax.set_xticks(places, names)
    return ax


def label_axes(
    ax: Axes, x: str = "", y: str = "", *, title: str | None = None, legend: str | None = None
) -> Axes:
    """Return the Axes with its labels; `legend` is where to put one, as in "upper left"."""
    ax.set_xlabel(x, fontsize=style.TEXT)
    ax.set_ylabel(y, fontsize=style.TEXT)
    if title is not None:
        ax.set_title(title, fontsize=style.TITLE)
    if legend is not None:
        look: dict[str, Any] = {"fontsize": style.TEXT, "frameon": False, "handlelength": 1.5}
        ax.legend(**look | {"loc": legend})
    return ax
