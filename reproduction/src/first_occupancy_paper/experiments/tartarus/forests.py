"""Forest plots: a point for each subject, and the mean with its interval, for each model."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from scipy import stats

from first_occupancy.core.errors import InputError
from first_occupancy.plotting import style


def forest_plot(
    ax: Axes,
    names: Sequence[str],
    differences: Float[np.ndarray, "I M"],
    *,
    label: str = "difference in log-likelihood per subject (nats)",
    level: float = 0.95,
) -> Axes:
    """Return the Axes with the differences of each subject, by model.

    Args:
        ax: Axes to draw into.
        names: names of the models, from top to bottom.
        differences: differences by subject and model (`Comparison.differences`).
        label: what the differences are.
        level: coverage of the intervals of the means, which are Student's.

    Returns:
        The Axes.

    Raises:
        InputError: if there is not one name for each model.
    """
    values = np.asarray(differences, float)
    if values.ndim != 2 or values.shape[1] != len(names):
        raise InputError(
            f"forest_plot: differences must have one column for each of {len(names)} names, "
            f"got shape {list(values.shape)}"
        )
    places = np.arange(len(names))[::-1]
    for place, column in zip(places, values.T, strict=True):
        aside = np.linspace(-0.2, 0.2, len(column)) if len(column) > 1 else np.zeros(1)
        ax.plot(column, place + aside, "o", color=style.FAINT, markersize=2.5, zorder=2)
        half = 0.0
        if len(column) > 1:
            half = float(stats.t.ppf((1 + level) / 2, len(column) - 1) * stats.sem(column))
        ax.errorbar(
            column.mean(), place, xerr=half, fmt="s", color=style.INK, markersize=4, zorder=3,
            elinewidth=style.LINE, capsize=2,
        )  # fmt: skip
    ax.axvline(0, color=style.CELL_EDGE, linewidth=style.LINE, zorder=1)
    ax.set_yticks(places, list(names), fontsize=style.TEXT)
    ax.set_xlabel(label, fontsize=style.TEXT)
    return ax
