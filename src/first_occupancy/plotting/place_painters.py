"""Pictures of worlds that are no mazes: states at their places, or as a graph.

A world has places if it has `positions`: nodes of graphs with coordinates, MiniGrid, states that
are pairs of numbers. Others are laid out by their links. Where places are cells of a grid, a cell
shows the largest value of its states.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Float, Int
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.core.errors import InputError, as_given, check_index
from first_occupancy.environments.mazes import Maze
from first_occupancy.plotting import _cells, style
from first_occupancy.plotting.layouts import spring_layout

MOST_LINKS = 20_000
"""Links up to which a graph's are drawn."""

MOST_SIDE = 200
"""Rows or columns of a grid up to which its cells are drawn as squares."""

MOST_PANELS = 8
"""Policies whose tables are drawn side by side; others are drawn with `policy=`."""


def has_places(world: object) -> bool:
    """Return whether a world is drawn by the places of its states, unlike a maze."""
    return isinstance(world, KnownByActions) and not isinstance(world, Maze)


def paint_places(world: Any, ax: Axes | None = None, *, positions: Any = None) -> Figure:
    """Return a picture of a world that is no maze: states at their places, and their links."""
    return values_at_places(world, {"": np.full(world.num_states, np.nan)}, ax, positions=positions)


def paint_table(
    values: Float[ArrayLike, "..."],
    ax: Axes | None = None,
    *,
    world: Any = None,
    state: Any = None,
    goal: Any = None,
    policy: int | None = None,
    positions: Any = None,
    vmin: float | int | None = None,
    vmax: float | int | None = None,
    label: str | None = None,
) -> Figure:
    """Return a picture of values of the states of a world [S], or of tables [S S] or [N S S]."""
    array, size = np.asarray(values), getattr(world, "num_states", -1)
    fits = array.shape[-2:] == (size, size) if array.ndim > 1 else array.shape == (size,)
    if not has_places(world) or not fits or array.ndim > 3:
        raise InputError(
            "plot: an array needs a world with places, and must have shape [S], [S S] or [N S S] "
            f"over its states, got shape {list(array.shape)} and {as_given(world)}"
        )
    if array.ndim == 1:
        panels, mark = {"": array}, None
    else:
        tables = array.reshape(-1, size, size)
        if policy is not None:
            check_index("plot", "policy", policy, len(tables))
        shown = range(min(len(tables), MOST_PANELS)) if policy is None else [policy]
        start = getattr(world, "start", None)
        end = (0 if start is None else start) if state is None else state
        mark = int(world.state_number(end if goal is None else goal))
        along = (slice(None), mark) if goal is not None else (mark,)
        names = {n: f"policy {n}" if len(tables) > 1 else "" for n in shown}
        panels = {names[n]: tables[n][along] for n in shown}
        usual = f"to state {mark}" if goal is not None else f"from state {mark}"
        label = usual if label is None else label
    limits = {"vmin": vmin, "vmax": vmax}
    return values_at_places(
        world, panels, ax, positions=positions, label=label, mark=mark, **limits
    )


def values_at_places(
    world: Any,
    panels: Mapping[str, Float[np.ndarray, " S"]],
    ax: Axes | None = None,
    *,
    positions: Any = None,
    label: str | None = None,
    mark: int | None = None,
    vmin: float | int | None = None,
    vmax: float | int | None = None,
) -> Figure:
    """Return a panel for each of several values of the same states, at the states' places."""
    links = _links(world)
    places = _places(world, links, positions)
    seen = np.concatenate([each[np.isfinite(each)] for each in panels.values()])
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
    norm = Normalize(min(low, 0.0) if vmin is None else vmin, high if vmax is None else vmax)
    span = np.ptp(places, axis=0) + 1e-9
    height = style.COLUMN * float(np.clip(span[1] / span[0], 0.3, 1.5))
    whole = len(panels) * style.COLUMN * 0.9 + 0.8, height * 0.9 + 0.3
    figure, axes = style.panels(ax, len(panels), whole, columns=len(panels))
    for number, (panel, (name, values)) in enumerate(zip(axes, panels.items(), strict=False)):
        drawn = _draw(panel, places, links, values, norm, mark)
        panel.set_title(style.literal(name), fontsize=style.TITLE)
        if len(seen) and number == len(axes) - 1:
            _cells.colour_bar(panel, drawn, label or "")
    return figure


def _draw(
    ax: Axes,
    places: Float[np.ndarray, "S 2"],
    links: Int[np.ndarray, "K 2"],
    values: Float[np.ndarray, " S"],
    norm: Normalize,
    mark: int | None,
) -> Any:
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.invert_yaxis()
    if (places == np.round(places)).all() and np.ptp(places, axis=0).max() < MOST_SIDE:
        drawn = _squares(ax, places, values, norm)
    else:
        if len(links) <= MOST_LINKS:
            lines: dict[str, Any] = {"colors": style.FAINT, "linewidths": style.THIN, "zorder": 1}
            ax.add_collection(LineCollection(list(places[links]), **lines))
        size = float(np.clip(4e3 / len(places), 2, 60))
        known = np.isfinite(values)
        if not known.any():
            ax.scatter(*places.T, s=size, color=style.POLICIES[0], zorder=2)
        look: dict[str, Any] = {"cmap": style.HEAT, "norm": norm, "zorder": 2}
        drawn = ax.scatter(*places[known].T, c=values[known], s=size, **look)
    if mark is not None:
        ax.plot(*places[mark], "o", color=style.GOAL, markeredgecolor=style.INK, markersize=5)
    return drawn


def _squares(ax: Axes, places: np.ndarray, values: np.ndarray, norm: Normalize) -> Any:
    """Draw the largest value of the states in each cell of a grid, walls grey."""
    low = places.min(axis=0)
    columns, rows = (places - low).astype(int).T
    grid = np.full((rows.max() + 1, columns.max() + 1), -np.inf)
    np.fmax.at(grid, (rows, columns), values)
    free = np.zeros(grid.shape, bool)
    free[rows, columns] = True
    right, down = low + np.ptp(places, axis=0)
    look: dict[str, Any] = {
        "extent": (low[0] - 0.5, right + 0.5, down + 0.5, low[1] - 0.5),
        "interpolation": "none",
    }
    ax.imshow(_cells.coloured(~free, style.WALL), **look)
    ax.imshow(_cells.coloured(free & np.isinf(grid), style.CELL_EDGE), **look)
    shown = np.where(np.isfinite(grid), grid, np.nan)
    return ax.imshow(shown, cmap=style.HEAT, norm=norm, **look)


def _links(world: Any) -> Int[np.ndarray, "K 2"]:
    """Return the pairs of states that some action joins."""
    pairs = [np.stack(chain.tocoo().coords, axis=1) for chain in world.action_chains]
    links = np.sort(np.concatenate(pairs), axis=1)
    links = np.unique(links[links[:, 0] != links[:, 1]], axis=0)
    return links.astype(np.int64)


def _places(world: Any, links: np.ndarray, given: Any) -> Float[np.ndarray, "S 2"]:
    known = getattr(world, "positions", None) if given is None else given
    if known is None:
        return spring_layout(links, world.num_states)
    places = np.asarray(known, float)
    if places.shape != (world.num_states, 2) or not np.isfinite(places).all():
        raise InputError(
            f"plot: positions must be (x, y) of each of {world.num_states} states, got shape "
            f"{list(places.shape)}"
        )
    return places
