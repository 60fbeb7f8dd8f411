"""Maps and paths in metres, over an arena with walls, such as `behaviour.arenas.Arena`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Bool, Float
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from first_occupancy.plotting import _cells, style

PANEL = 2.0
"""Longest side of an arena in inches, where several are drawn side by side."""

ColourLimits = tuple[float | int | None, float | int | None]
"""Values at both ends of the colours; None for the smallest or largest that is shown."""


def arena_map(
    ax: Axes,
    arena: Any,
    values: Float[ArrayLike, " S"],
    *,
    label: str | None = "",
    norm: Normalize | None = None,
    doubtful: Bool[ArrayLike, " S"] | None = None,
) -> Axes:
    """Return the Axes with a value per cell, in metres; walls are grey.

    Args:
        ax: Axes to draw into.
        arena: the arena.
        values: a value for each cell.
        label: what the values are, beside a colour bar; None for no bar.
        norm: which values get which colours; by default from the smallest to the largest.
        doubtful: cells that get a cross.
    """
    picture = arena.picture(np.asarray(values, float))
    walls = np.isnan(arena.picture(np.zeros(arena.num_states)))
    look: dict[str, Any] = {"origin": "lower", "extent": arena.extent, "aspect": "equal"}
    ax.set_facecolor(style.FLOOR)
    image = ax.imshow(picture, cmap=style.HEAT, norm=norm, interpolation="none", **look)
    ax.imshow(_cells.coloured(walls, style.WALL), interpolation="none", **look)
    if doubtful is not None:
        x, y = arena.centres()[np.asarray(doubtful) & ~walls.reshape(-1)].T
        ax.plot(x, y, "x", color=style.FAINT, markersize=3, markeredgewidth=style.THIN)
    if label is not None:
        _cells.colour_bar(ax, image, label)
    ax.set_xlabel("metres", fontsize=style.TEXT)
    ax.set_ylabel("metres", fontsize=style.TEXT)
    return ax


def tracked_path(ax: Axes, positions: Float[np.ndarray, "T 2"], *, colour: str = style.INK) -> Axes:
    """Return the Axes with a path in metres, which breaks where positions are not known.

    Args:
        ax: Axes to draw into.
        positions: x and y in metres; NaN in gaps.
        colour: colour of the line.
    """
    x, y = np.asarray(positions, float).T
    ax.plot(x, y, color=colour, linewidth=style.THIN, alpha=0.7)
    return ax


def arena_maps(
    arena: Any,
    panels: Mapping[str, Float[ArrayLike, " S"]],
    ax: Axes | None = None,
    *,
    label: str = "",
    limits: ColourLimits = (None, None),
    doubtful: Bool[ArrayLike, " S"] | None = None,
    mark: int | None = None,
    log: bool = False,
) -> Figure:
    """Return maps side by side that share their colours and one colour bar."""
    left, right, bottom, top = arena.extent
    longest = max(right - left, top - bottom)
    width, height = PANEL * (right - left) / longest, PANEL * (top - bottom) / longest
    whole = len(panels) * (width + 0.35) + 0.9, height + 0.75
    figure, axes = style.panels(ax, len(panels), whole, columns=len(panels))
    seen = np.concatenate([arena.picture(np.asarray(each, float)) for each in panels.values()])
    seen = seen[np.isfinite(seen)]
    ends = (float(seen.min()), float(seen.max())) if seen.size else (0.0, 1.0)
    low, high = (end if own is None else own for end, own in zip(ends, limits, strict=True))
    norm = (LogNorm if log else Normalize)(low, high)
    for number, (panel, (name, values)) in enumerate(zip(axes, panels.items(), strict=True)):
        last = label if number == len(panels) - 1 else None
        arena_map(panel, arena, values, label=last, norm=norm, doubtful=doubtful)
        panel.set_title(style.literal(name), fontsize=style.TITLE)
        if number:
            panel.set_ylabel("")
            panel.tick_params(labelleft=False)
        if mark is not None:
            x, y = arena.centres()[mark]
            panel.plot(x, y, "o", color=style.GOAL, markeredgecolor=style.INK, markersize=5)
    return figure


def paint_arena(arena: Any, ax: Axes | None = None) -> Figure:
    """Return a picture of an arena: walls grey, the floor white."""
    figure, ax = style.canvas(ax, (style.COLUMN, style.COLUMN))
    arena_map(ax, arena, np.full(arena.num_states, np.nan), label=None)
    return figure
