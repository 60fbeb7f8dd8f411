"""The figure: bits per choice of every model in every session."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes

from .. import Row, grouped, where

CHANCE = 1.585
"""Bits of a random choice among three ways."""


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name; none without rows."""
    if not rows:
        return {}
    fits = where(rows, "model")
    models = list(grouped(fits, "model"))
    figure, axes = style.figure(1, 1, size=(style.PAGE, 2.8))
    for number, (session, own) in enumerate(grouped(fits, "session").items()):
        bits = [row["bits"] for row in own]
        places, colour = [models.index(row["model"]) for row in own], style.colour(number)
        axes[0, 0].plot(bits, places, "o", color=colour, label=session, markersize=4)
    axes[0, 0].axvline(CHANCE, color=style.FAINT, linewidth=style.THIN)
    axes[0, 0].set_yticks(range(len(models)), models, fontsize=style.TEXT)
    label_axes(axes[0, 0], "bits per choice, held out", legend="lower right")
    return {"bits": figure}
