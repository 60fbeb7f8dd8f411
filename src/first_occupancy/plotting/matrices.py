"""Matrices as images, and values of states as sorted curves: figures where there is no maze."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Array, ArrayLike, Num
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from first_occupancy.plotting import _cells, style

LARGEST = 600
"""Rows or columns that an image of a matrix shows; of more, every second, third ... is shown."""

MOST_NAMES = 20
"""Rows or columns that have their names as ticks."""


def matrix(
    ax: Axes,
    values: Num[np.ndarray | Array, "rows columns"],
    row_names: Sequence[str] | None = None,
    column_names: Sequence[str] | None = None,
    *,
    label: str | None = None,
    norm: Normalize | None = None,
    transform: Callable[[np.ndarray], np.ndarray] = np.asarray,
) -> Axes:
    """Return the Axes with a matrix as an image, row 0 on top."""
    shape = np.shape(values)
    strides = [-(-size // LARGEST) for size in shape]
    # Cut before it is read, since it may be mapped from a file of gigabytes.
    part = transform(np.asarray(values[:: strides[0], :: strides[1]], dtype=float))
    ends = (-0.5, part.shape[1] * strides[1] - 0.5, part.shape[0] * strides[0] - 0.5, -0.5)
    look: dict[str, Any] = {
        "norm": norm,
        "cmap": style.HEAT,
        "aspect": "auto",
        "interpolation": "none",
    }
    image = ax.imshow(np.ma.masked_invalid(part), extent=ends, **look)
    ax.set(xlim=(-0.5, shape[1] - 0.5), ylim=(shape[0] - 0.5, -0.5))
    if column_names and len(column_names) <= MOST_NAMES:
        ax.set_xticks(range(shape[1]), [*map(style.literal, column_names)], rotation=90)
    if row_names and len(row_names) <= MOST_NAMES:
        ax.set_yticks(range(shape[0]), [*map(style.literal, row_names)])
    if label is not None:
        _cells.colour_bar(ax, image, label)
    return ax


def sorted_curves(ax: Axes, curves: Mapping[str, Num[ArrayLike, " S"]], *, what: str) -> Axes:
    """Return the Axes with one line for each of several values of the same states.

    The states are sorted by the first of the values, from high to low.
    """
    order = np.argsort(-np.asarray(next(iter(curves.values())), dtype=float), kind="stable")
    # The first is the one to compare with: dashed, on top, so that all can be seen.
    for number, (name, values) in enumerate(curves.items()):
        line: dict[str, Any] = {"color": style.colour(number), "linewidth": style.LINE}
        if number == 0 and len(curves) > 1:
            line |= {"color": style.INK, "linestyle": "--", "zorder": 3}
        ax.plot(np.asarray(values, dtype=float)[order], label=name, drawstyle="steps-mid", **line)
    first = next(iter(curves))
    ax.set_xlabel(f"states, sorted by {first}" if len(curves) > 1 else "states, sorted")
    ax.set_ylabel(what)
    if len(curves) > 1:
        ax.legend(fontsize=style.TEXT, frameon=False)
    return ax
