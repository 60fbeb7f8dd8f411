"""Maps and paths in metres, over an arena with walls, such as `behaviour.arenas.Arena`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Bool, Float
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from first_occupancy.core.errors import check_index
from first_occupancy.plotting import _cells, style
from first_occupancy.representations.occupancies import Occupancies

PANEL = 2.0
"""Longest side of an arena in inches, where several are drawn side by side."""


def arena_map(
    ax: Axes,
    arena: Any,
    values: Float[ArrayLike, " S"],
    *,
    label: str | None = "",
    logarithmic: bool = False,
    vmin: float | int | None = None,
    vmax: float | int | None = None,
    doubtful: Bool[ArrayLike, " S"] | None = None,
) -> Axes:
    """Return the Axes with a value per cell, in metres; walls are grey.

    Args:
        ax: Axes to draw into.
        arena: the arena.
        values: a value for each cell.
        label: what the values are, beside a colour bar; None for no bar.
        logarithmic: whether colours are on a logarithmic scale; values of 0 are left out.
        vmin: value at the lower end of the colours; None for the smallest.
        vmax: value at the upper end of the colours; None for the largest.
        doubtful: cells that get a cross.
    """
    picture = arena.picture(np.asarray(values, float))
    shown = np.where(picture > 0, picture, np.nan) if logarithmic else picture
    seen = shown[np.isfinite(shown)]
    low, high = (seen.min(), seen.max()) if seen.size else (0.1, 1.0)
    low, high = low if vmin is None else vmin, high if vmax is None else vmax
    scale = LogNorm(low, high) if logarithmic else Normalize(low, high)
    walls = np.isnan(arena.picture(np.zeros(arena.num_states)))
    look: dict[str, Any] = {"origin": "lower", "extent": arena.extent, "aspect": "equal"}
    ax.set_facecolor(style.FLOOR)
    image = ax.imshow(shown, cmap=style.HEAT, norm=scale, interpolation="none", **look)
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
    limits: tuple[float | int | None, float | int | None] = (None, None),
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
    for number, (panel, (name, values)) in enumerate(zip(axes, panels.items(), strict=True)):
        last = label if number == len(panels) - 1 else None
        look: dict[str, Any] = {"vmin": low, "vmax": high, "logarithmic": log}
        arena_map(panel, arena, values, label=last, doubtful=doubtful, **look)
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


def paint_over_arena(
    frs: Occupancies,
    ax: Axes | None,
    arena: Any,
    *,
    shown: Sequence[int],
    names: Sequence[str],
    symbol: str,
    state: Any,
    goal: Any,
    limits: tuple[float | int | None, float | int | None],
) -> Figure:
    """Return a picture of FRs or SRs over an arena, with their intervals if they have some."""
    end = goal if state is None else state
    here = arena.cell_at(*end) if isinstance(end, tuple) else end
    here = arena.num_states // 2 if here is None else int(here)
    check_index("plot", "goal" if goal is not None else "state", here, arena.num_states)
    x, y = arena.centres()[here]
    place, along = f"({x:.3g}, {y:.3g})", (slice(None), here) if goal is not None else (here,)
    label = f"{symbol}(·, {place})" if goal is not None else f"{symbol}({place}, ·)"
    label += f"\ndiscount {frs.discount:g} per {getattr(frs, 'step', 'step')}"
    limits = 0.0 if limits[0] is None else limits[0], limits[1]
    interval = getattr(frs, "interval", None)
    if interval is None:
        panels = {names[n]: np.asarray(frs.values[n])[along] for n in shown}
        return arena_maps(arena, panels, ax, label=label, limits=limits, mark=here)
    ends = {"lower end": interval.low, "estimate": interval.estimate, "upper end": interval.high}
    kept = ends if ax is None else {"estimate": interval.estimate}
    panels = {name: np.asarray(values[shown[0]])[along] for name, values in kept.items()}
    doubtful = ~np.asarray(interval.trusted[shown[0]])[along]
    return arena_maps(arena, panels, ax, label=label, limits=limits, doubtful=doubtful, mark=here)
