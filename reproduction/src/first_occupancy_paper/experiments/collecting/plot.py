"""The picture: each method's share of the best return, by world and noise."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy_paper.rows.row import Row

from ..answers import half_width
from .find import shares

LOOKS = {
    "orders": (style.FR, "o", "-", "orders of visits"),
    "best first": (style.ORANGE, "v", "-", "best first"),
    "nearest first": (style.OLIVE, "^", "-", "nearest first"),
    "FR-GPI": (style.GPI, "s", "-", "FR-GPI"),
    "SR-GPI": (style.SR, "s", "-", "SR-GPI"),
    "FR-GPI over legs": (style.GPI, "D", ":", "FR-GPI over legs"),
    "SR-GPI over legs": (style.SR, "D", ":", "SR-GPI over legs"),
}
"""Colour, marker, line and label of each method."""

TITLES = {"four_rooms": "FourRooms", "maze": "maze, 15 x 15", "map": "map, 30 x 30"}


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    exact = [row for row in rows if not row["learned"]]
    parts = [(TITLES[w], [r for r in exact if r["world"] == w]) for w in TITLES]
    parts.append(("FourRooms, learned by TD", [row for row in rows if row["learned"]]))
    parts = [(title, some) for title, some in parts if some]
    figure, axes = style.figure(1, len(parts), size=(style.PAGE * 1.3, 2.6))
    for ax, (title, some) in zip(axes[0], parts, strict=True):
        noises = sorted({row["noise"] for row in some})
        for method, (colour, marker, lines, label) in LOOKS.items():
            found = [shares(some, method, noise=noise) for noise in noises]
            if all(len(each) for each in found):
                means = [each.mean() for each in found]
                halves = [half_width(each) for each in found]
                look = {"color": colour, "marker": marker, "linestyle": lines, "markersize": 3}
                places = np.arange(len(noises))
                ax.errorbar(places, means, halves, label=label, linewidth=style.LINE, **look)
        ax.set_xticks(np.arange(len(noises)), [f"{noise:g}" for noise in noises])
        ax.set(ylim=(0, 1.03), xlabel="noise")
        ax.set_title(title, fontsize=style.TITLE)
    axes[0, 0].set_ylabel("share of the best return", fontsize=style.TEXT)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", fontsize=style.TEXT, frameon=False)
    return {"shares": figure}
