"""The figure: who wins, by the model that made the choices."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy_paper.rows.row import Row


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name; none without rows."""
    if not rows:
        return {}
    names = [row["made_by"] for row in rows]
    wins = np.array([[row["wins"][name] for name in names] for row in rows])
    figure, axes = style.figure(1, 1, size=(4.6, 3.6))
    ax = axes[0, 0]
    ax.imshow(wins, cmap="Blues", vmin=0, vmax=wins.max())
    for (row, column), count in np.ndenumerate(wins):
        if count:
            colour = "white" if count > wins.max() / 2 else "black"
            ax.text(
                column, row, str(count), ha="center", va="center", color=colour, size=style.TEXT
            )
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right", fontsize=style.TEXT)
    ax.set_yticks(range(len(names)), names, fontsize=style.TEXT)
    ax.set_xlabel("model that wins", fontsize=style.TEXT)
    ax.set_ylabel("model that made the choices", fontsize=style.TEXT)
    return {"wins": figure}
