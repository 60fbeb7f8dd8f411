"""The figures: returns during fine-tuning, and the growth of targets during pre-training."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes, mean_curve
from first_occupancy_paper.arm.runs.row_files import FIRST_ACTIONS, FORMAT
from first_occupancy_paper.arm.runs.run_config import RunConfig
from first_occupancy_paper.rows.row import Row

from ..legends import legend_below
from . import find_full_size, registered
from .comparing import way
from .run_curves import Setup, distinct_pretraining, finetuning_curves, largest_targets, setups

LOOKS = {
    "apf": ("APF", style.FR),
    "apf_exact": ("APF (exact n steps)", style.SKY),
    "apf_printed": ("APF as printed", style.ORANGE),
    "aps": ("APS", style.SR),
    "ddpg": ("DDPG, no pre-training", style.FAINT),
}
"""The paper's colours: teal for APF and the FR, vermillion for APS and the SR."""

COLUMNS = 2
"""Panels side by side."""
TITLE = 44
"""Characters in a line of a title; more would run into the next panel."""


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name; none if there is nothing to show yet."""
    found = registered.set_apart(find_full_size.set_apart(setups(rows)))
    learned = [setup for setup in found if any(finetuning_curves(setup, a) for a in setup.runs)]
    trained = [
        setup
        for setup in distinct_pretraining(found)
        if any(_target_curves(setup, a) for a in setup.runs)
    ]
    figures = {}
    if learned:
        figures["reaching"] = _figure(learned, _draw_returns)
    if trained:
        figures["targets"] = _figure(trained, _draw_targets)
    return figures


def _figure(found: Sequence[Setup], draw) -> Figure:
    columns = min(len(found), COLUMNS)
    rows = -(-len(found) // columns)
    figure, axes = style.figure(rows, columns, size=(style.COLUMN * columns, 2.7 * rows))
    for ax in axes.flat[len(found) :]:
        ax.remove()
    for ax, setup in zip(figure.axes, found, strict=True):
        draw(ax, setup)
    names = {name for ax in figure.axes for name in ax.get_legend_handles_labels()[1]}
    legend_below(figure, *figure.axes, ncols=len(names))
    return figure


def _draw_returns(ax: Axes, setup: Setup) -> None:
    counts = {}
    for agent, (name, colour) in LOOKS.items():
        curves = finetuning_curves(setup, agent)
        if curves is not None:
            counts[name.split(",")[0]] = len(curves.seeds)
            mean_curve(ax, curves.steps / 1000, curves.returns, label=name, colour=colour)
    ax.set_ylim(bottom=0)
    place = setup.config["task"].replace("_", " ")
    more = textwrap.fill(", ".join([_seeds(counts), *_beside(setup)]), TITLE)
    label_axes(
        ax,
        "steps of fine-tuning (thousands)",
        "return of an episode",
        title=f"{place}, {way(setup)}\n{more}{_begun(setup)}",
    )


def _seeds(counts: Mapping[str, int]) -> str:
    """Return how many runs a panel shows."""
    if len(set(counts.values())) > 1:
        return ", ".join(f"{name}: {count}" for name, count in counts.items()) + " seeds"
    (count,) = set(counts.values())
    each = " each" if len(counts) > 1 else ""
    return f"{count} {'seed' if count == 1 else 'seeds'}{each}"


def _begun(setup: Setup) -> str:
    """Return what fine-tuning starts with, if it is not what current runs start with."""
    as_now = setup.config["first_actions"] == FIRST_ACTIONS[FORMAT]
    return "" if as_now else "\nbegun by the pre-trained actor"


def _draw_targets(ax: Axes, setup: Setup) -> None:
    for agent, (name, colour) in LOOKS.items():
        points = _target_curves(setup, agent)
        for number, (steps, targets) in enumerate(points):
            ax.plot(
                steps / 1000,
                targets,
                color=colour,
                linewidth=style.THIN if len(points) > 1 else style.LINE,
                label=name if number == 0 else None,
            )
    later = f"\nlater {way(setup)}" if setup.config["finetuning_steps"] else ""
    ax.set_yscale("log")
    ax.tick_params(which="minor", labelsize=style.TEXT, width=style.THIN)
    label_axes(
        ax,
        "steps of pre-training (thousands)",
        "largest target",
        title=", ".join(["pre-training", *_beside(setup)]) + later,
    )


def _target_curves(setup: Setup, agent: str) -> list[Float[np.ndarray, "2 X"]]:
    """Return steps and largest targets of each seed, where they are finite."""
    curves = [np.array(points, float).T for points in largest_targets(setup, agent).values()]
    finite = [curve[:, np.isfinite(curve[1])] for curve in curves]
    return [curve for curve in finite if curve.size]


def _beside(setup: Setup) -> list[str]:
    """Return further settings for a title, if they are not the defaults."""
    width = setup.config["width"]
    narrow = [] if width == RunConfig.width else [f"width {width}"]
    bounded = ["bounded"] if setup.config["bounded"] else []
    soft = ["soft features"] if setup.config["threshold"] is None else []
    return [*narrow, *bounded, *soft, *([setup.config["part"]] if "part" in setup.config else [])]
