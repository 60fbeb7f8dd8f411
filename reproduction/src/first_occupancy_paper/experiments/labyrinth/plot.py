"""The figure: bits per choice of every model in every session."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy_paper.rows.row import Row

CHANCE = 1.585
"""Bits of a random choice among three ways."""


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name; none without rows."""
    if not rows:
        return {}
    rows = [row for row in rows if "model" in row]
    models = list(dict.fromkeys(row["model"] for row in rows))
    figure, axes = style.figure(1, 1, size=(style.PAGE, 2.8))
    for number, session in enumerate(dict.fromkeys(row["session"] for row in rows)):
        own = {row["model"]: row["bits"] for row in rows if row["session"] == session}
        places = [models.index(model) for model in own]
        axes[0, 0].plot(
            list(own.values()), places, "o", color=style.colour(number), label=session, markersize=4
        )
    axes[0, 0].axvline(CHANCE, color=style.FAINT, linewidth=style.THIN)
    axes[0, 0].set_yticks(range(len(models)), models, fontsize=style.TEXT)
    label_axes(axes[0, 0], "bits per choice, held out", legend="lower right")
    return {"bits": figure}
