"""The picture: each method's share of the best return, by world and noise."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from first_occupancy.plotting import style

from .. import Row, grouped, where
from ..answers import mean_of
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
    parts = [(title, where(rows, learned=False, world=name)) for name, title in TITLES.items()]
    parts.append(("FourRooms, learned by TD", where(rows, learned=True)))
    parts = [(title, some) for title, some in parts if some]
    figure, axes = style.figure(1, len(parts), size=(style.PAGE * 1.3, 2.6))
    for ax, (title, some) in zip(axes[0], parts, strict=True):
        noises = sorted(grouped(some, "noise"))
        places = np.arange(len(noises))
        for method, (colour, marker, lines, label) in LOOKS.items():
            if where(some, method=method):
                found = [shares(some, method, noise=noise) for noise in noises]
                means, halves = zip(*map(mean_of, found), strict=True)
                look = {"color": colour, "marker": marker, "linestyle": lines, "markersize": 3}
                ax.errorbar(places, means, halves, label=label, linewidth=style.LINE, **look)
        ax.set_xticks(places, [f"{noise:g}" for noise in noises])
        ax.set(ylim=(0, 1.03), xlabel="noise")
        ax.set_title(title, fontsize=style.TITLE)
    axes[0, 0].set_ylabel("share of the best return", fontsize=style.TEXT)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", fontsize=style.TEXT, frameon=False)
    return {"shares": figure}
