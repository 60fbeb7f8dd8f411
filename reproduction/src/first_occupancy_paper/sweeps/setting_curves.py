"""Measurements by setting: a curve for every combination of the other settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy_paper.rows.row import where

MOST_PANELS, MOST_CURVES = 6, 8
"""Measurements and curves that are drawn; of more the first."""


def setting_figure(
    lines: Sequence[Mapping[str, Any]], settings: Sequence[str], measures: Sequence[str]
) -> Figure:
    """Draw each measurement in a panel, with its intervals, by the first setting that is a number.

    Args:
        lines: one mapping per combination of settings: their values, and for each measurement its
            mean and the ends of its interval, `NAME`, `NAME_low` and `NAME_high`.
        settings: names of the settings.
        measures: names of the measurements.

    Returns:
        The figure.
    """
    panels = list(measures)[:MOST_PANELS] or [""]
    columns = min(3, len(panels))
    size = (3.6 * columns, 2.8 * -(-len(panels) // columns))
    drawn, axes = style.panels(None, len(panels), size, columns=columns)
    along = next((name for name in settings if _is_number(lines, name)), None)
    others = [name for name in settings if name != along]
    for ax, measure in zip(axes, panels, strict=True):
        _draw(ax, lines, along, others, measure)
        ax.set_title(measure, fontsize=style.TEXT)
        ax.set_xlabel(along or ", ".join(others), fontsize=style.TEXT)
    if along is not None and others:
        axes[0].legend(title=", ".join(others), fontsize=style.TEXT, title_fontsize=style.TEXT)
    return drawn


def _draw(
    ax: Axes,
    lines: Sequence[Mapping[str, Any]],
    along: str | None,
    others: Sequence[str],
    measure: str,
) -> None:
    curves: dict[str, list[Mapping[str, Any]]] = {}
    for line in where(lines, measure):
        curves.setdefault(", ".join(str(line[name]) for name in others), []).append(line)
    places = list(curves)
    if along is None:  # each combination has a place instead of a curve
        curves = {"": [found[0] for found in curves.values()]}
        ax.tick_params(axis="x", labelrotation=30)
    for number, (label, found) in enumerate(list(curves.items())[:MOST_CURVES]):
        if along is not None:
            found.sort(key=lambda line: line[along])
            places = [line[along] for line in found]
        ax.errorbar(
            places,
            [line[measure] for line in found],
            yerr=[line.get(f"{measure}_high", line[measure]) - line[measure] for line in found],
            color=style.FR if along is None else style.colour(number),
            label=label,
            linestyle="none" if along is None else "-",
            marker="o",
            markersize=3,
            linewidth=style.LINE,
            capsize=2,
        )


def _is_number(lines: Sequence[Mapping[str, Any]], name: str) -> bool:
    values = [line[name] for line in lines]
    return all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)
