"""How the cost of methods grows with the size of a problem, on doubly logarithmic axes."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes

MARKERS = "os^Dv<>p"
"""One marker for each method, so that lines can be told apart in grey too."""


def growth_curves(
    ax: Axes, curves: Mapping[str, Sequence[tuple[float, float]]], *, size: str
) -> Axes:
    """Return the Axes with a line for each method on doubly logarithmic axes.

    Args:
        ax: where to draw.
        curves: pairs of size and seconds, for each method by its name.
        size: name of the x axis.
    """
    for number, (method, points) in enumerate(curves.items()):
        sizes, seconds = zip(*sorted(points), strict=True)
        ax.loglog(
            sizes,
            seconds,
            color=style.colour(number),
            marker=MARKERS[number % len(MARKERS)],
            markersize=4,
            linewidth=style.LINE,
            label=method,
        )
    # Where an axis spans less than a decade, its minor ticks are the ones with numbers.
    ax.tick_params(which="minor", labelsize=style.SMALL)
    return label_axes(ax, size, "seconds", legend="best")
