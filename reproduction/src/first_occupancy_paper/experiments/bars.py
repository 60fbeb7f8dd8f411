"""Bars with intervals."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Num
from matplotlib.axes import Axes

from first_occupancy.plotting import style


def bars_with_intervals(
    ax: Axes,
    names: Sequence[str],
    means: Num[ArrayLike, " X"],
    half_widths: Num[ArrayLike, " X"],
    *,
    colours: Sequence[str],
) -> Axes:
    """Return the Axes with a bar for each name and an interval around its height."""
    places = np.arange(len(names))
    ax.bar(places, np.asarray(means), width=0.65, color=list(colours))
    ax.errorbar(
        places,
        np.asarray(means),
        yerr=np.asarray(half_widths),
        fmt="none",
        ecolor=style.INK,
        elinewidth=style.THIN,
        capsize=2,
        capthick=style.THIN,
    )
    ax.set_xticks(places, names)
    return ax
