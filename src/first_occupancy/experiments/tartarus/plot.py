"""Figures: the curve over K, and differences per subject."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from first_occupancy.experiments import Row
from first_occupancy.experiments.tartarus.candidates import SWITCHES
from first_occupancy.experiments.tartarus.numbers import SPECIES, chosen, scores, switch_names
from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes, mean_curve
from first_occupancy.plotting.forests import forest_plot

LEVELS = {"SR": style.SR, "turning biases": style.ORANGE, "FRP, K = 9, turning": style.BLUE}
"""Models that are drawn as horizontal lines."""

COMPARED = ("turning biases", "Q-learning", "SR, turning", *switch_names(), "FRP, K = 9, turning")


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name; none without rows."""
    present = [species for species in SPECIES if chosen(rows, species, switch_names()[-1])]
    if not present:
        return {}
    return {"switches": _switches(rows, present), "subjects": _subjects(rows, present)}


def _switches(rows: Sequence[Row], present: Sequence[str]) -> Figure:
    figure, axes = style.figure(1, len(present), size=(style.PAGE, 2.6))
    for ax, species in zip(axes[0], present, strict=True):
        names, values = scores(rows, species, switch_names())
        row = chosen(rows, species, names[-1])
        assert row is not None
        choices = np.array(row["choices"], float)[:, None]
        places = np.array([SWITCHES[switch_names().index(name)] for name in names])
        mean_curve(ax, places, values / choices, label="FRP, K switches", marker="o")
        for name, colour in LEVELS.items():
            _, level = scores(rows, species, [name])
            if level.size:
                ax.axhline((level / choices).mean(), color=colour, label=name, linewidth=style.LINE)
        label_axes(ax, "largest number of switches, K", "held-out nats per choice", title=species)
    label_axes(axes[0, -1], "largest number of switches, K", legend="lower right")
    return figure


def _subjects(rows: Sequence[Row], present: Sequence[str]) -> Figure:
    figure, axes = style.figure(1, len(present), size=(style.PAGE, 3.4))
    for ax, species in zip(axes[0], present, strict=True):
        names, values = scores(rows, species, COMPARED)
        _, reference = scores(rows, species, ["SR"])
        forest_plot(ax, names, values - reference, label="held-out nats above the SR")
        ax.set_title(species, fontsize=style.TITLE)
    return figure
