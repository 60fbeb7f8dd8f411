"""A legend for all panels of a figure, outside of them, where it hides no curves."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.plotting import style


def legend_below(figure: Figure, *panels: Axes, ncols: int, fontsize: int = style.TEXT) -> None:
    """Draw one legend below the panels: each name once, as it looks in the last panel."""
    shown: dict[str, object] = {}
    for ax in panels:
        handles, names = ax.get_legend_handles_labels()
        shown |= zip(names, handles, strict=True)
    place = {"loc": "outside lower center", "ncols": ncols, "frameon": False}
    figure.legend(list(shown.values()), list(shown), fontsize=fontsize, **place)  # type: ignore
