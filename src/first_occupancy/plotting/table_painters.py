"""How `fo.plot` draws FRs, evaluations and logs: over a maze, or as matrices and curves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from first_occupancy.core.errors import check_index
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.evaluation import Evaluation
from first_occupancy.plotting import maze_figures, style
from first_occupancy.plotting.arena_figures import ColourLimits, arena_maps
from first_occupancy.plotting.matrices import matrix, sorted_curves
from first_occupancy.plotting.named_cells import maze_of
from first_occupancy.plotting.place_painters import MOST_PANELS, has_places, paint_table
from first_occupancy.representations.occupancies import Occupancies

MANY = 100
"""Visits from which their scale is logarithmic."""


def paint_occupancies(
    frs: Occupancies,
    ax: Axes | None = None,
    *,
    world: Any = None,
    arena: Any = None,
    state: Any = None,
    goal: Any = None,
    policy: int | None = None,
    vmin: float | int | None = None,
    vmax: float | int | None = None,
) -> Figure:
    """Return maps of FRs or SRs from one state, or matrices where there is no maze.

    Estimates with intervals are drawn over an arena with both ends; crosses mark entries that are
    not trusted.
    """
    if has_places(world):
        shown = {"state": state, "goal": goal, "policy": policy, "vmin": vmin, "vmax": vmax}
        return paint_table(frs.values, ax, world=world, **shown)
    maze = maze_of(world, frs.values.shape[-1], frs.state_names, frs.policy_names)
    if policy is not None:
        check_index("plot", "policy", policy, len(frs.values))
    alone = 0 if ax is not None and policy is None else policy
    shown = range(min(len(frs.values), MOST_PANELS)) if alone is None else [alone]
    names = frs.policy_names or [f"policy {number}" for number in range(len(frs.values))]
    symbol = {"first_occupancy": "F", "successor": "M"}.get(frs.representation.name, "values")
    end = state if goal is None else goal
    if arena is not None:
        here = arena.cell_at(*end) if isinstance(end, tuple) else end
        here = arena.num_states // 2 if here is None else int(here)
        check_index("plot", "state" if goal is None else "goal", here, arena.num_states)
        x, y = arena.centres()[here]
        place = f"({x:.3g}, {y:.3g})"
    elif maze is not None:
        start = maze.num_states // 2 if maze.start is None else maze.start
        here = start if end is None else maze.state_number(end)
        place = str(maze.cell(here))
    else:
        panels = {names[n]: np.asarray(frs.values[n]) for n in shown}
        return _matrices(panels, ax, frs.state_names, symbol)
    along: tuple[Any, ...] = (here,) if goal is None else (slice(None), here)
    label = f"{symbol}({place}, ·)" if goal is None else f"{symbol}(·, {place})"
    panels = {names[n]: np.asarray(frs.values[n])[along] for n in shown}
    if arena is not None or maze is None:
        return _over_arena(frs, ax, arena, panels, (shown[0], *along), label, here, (vmin, vmax))
    return _maps(panels, ax, maze, label, here, "S" if goal is None else "G", (vmin, vmax))


def _over_arena(
    frs: Occupancies,
    ax: Axes | None,
    arena: Any,
    panels: Mapping[str, np.ndarray],
    where: tuple[Any, ...],
    label: str,
    here: int,
    limits: ColourLimits,
) -> Figure:
    """Return a picture of panels over an arena, or of their first with its interval if it has one.

    Args:
        where: place of the first panel in the table.
    """
    label += f"\ndiscount {frs.discount:g} per {getattr(frs, 'step', 'step')}"
    limits = 0.0 if limits[0] is None else limits[0], limits[1]
    interval, doubtful = getattr(frs, "interval", None), None
    if interval is not None:
        ends = {"lower end": interval.low, "estimate": interval.estimate}
        ends["upper end"] = interval.high
        kept = ends if ax is None else {"estimate": interval.estimate}
        panels = {name: np.asarray(values)[where] for name, values in kept.items()}
        doubtful = ~np.asarray(interval.trusted)[where]
    return arena_maps(arena, panels, ax, label=label, limits=limits, doubtful=doubtful, mark=here)


def _matrices(
    panels: Mapping[str, np.ndarray], ax: Axes | None, names: Sequence[str] | None, label: str
) -> Figure:
    figure, axes = _grid(ax, len(panels), 2.2, 2.2)
    norm = Normalize(0, max(1e-12, *(float(values.max()) for values in panels.values()), 0))
    for number, (panel, (name, values)) in enumerate(zip(axes, panels.items(), strict=True)):
        last = number == len(panels) - 1
        matrix(panel, values, names, names, label=label if last else None, norm=norm)
        panel.set_title(style.literal(name), fontsize=style.TITLE)
        panel.set(xlabel="to", ylabel="from" if number == 0 else "")
    return figure


def _maps(
    panels: Mapping[str, np.ndarray],
    ax: Axes | None,
    maze: Maze,
    label: str,
    here: int | None,
    mark: str = "S",
    limits: ColourLimits = (None, None),
) -> Figure:
    width, height = style.world_size(maze.free.shape)
    # Several maps share a page.
    share = max(0.6, 1 / len(panels))
    figure, axes = _grid(ax, len(panels), share * width, share * height)
    low = min(float(np.nanmin(values)) for values in panels.values())
    high = max(float(np.nanmax(values)) for values in panels.values())
    ends = zip((min(low, 0.0), max(high, 1e-12)), limits, strict=True)
    low, high = (end if own is None else own for end, own in ends)
    norm = Normalize(low, high)
    for number, (panel, (name, values)) in enumerate(zip(axes, panels.items(), strict=True)):
        last = number == len(panels) - 1
        maze_figures.heat_map(panel, maze, values, label=label if last else None, norm=norm)
        panel.set_title(style.literal(name), fontsize=style.TITLE)
        if here is not None:
            maze_figures.mark_cells(
                panel, maze, [here], texts=[mark],
                colours=[style.START if mark == "S" else style.GOAL],
            )  # fmt: skip
    return figure


def _grid(ax: Axes | None, count: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return the Axes for so many panels of a size each, with a colour bar, in rows of four."""
    columns = min(count, 4)
    whole = (columns * width + 0.8, -(-count // columns) * (height + 0.3))
    return style.panels(ax, count, whole, columns=columns)


def paint_evaluation(
    evaluation: Evaluation, ax: Axes | None = None, *, world: Maze | None = None
) -> Figure:
    """Return a picture of what a plan achieves from each state, and of the optimum.

    Without a maze there are three curves: the optimum, re-choosing and leg by leg. Over a maze
    there is a map for each; on one `ax`, a single map of the gap between re-choosing and the
    optimum.
    """
    values = {
        "optimal": np.asarray(evaluation.optimal),
        "re-choosing": np.asarray(evaluation.expected_discount),
        "leg by leg": np.asarray(evaluation.leg_by_leg),
    }
    maze = maze_of(world, len(values["optimal"]), None)
    if maze is not None and ax is None:
        return _maps(values, None, maze, "expected discount", None)
    if maze is not None:
        return _maps({"gap to the optimum": np.asarray(evaluation.loss)}, ax, maze, "gap", None)
    figure, ax = style.canvas(ax, (style.COLUMN, 2.4))
    sorted_curves(ax, values, what="expected discount")
    return figure


def paint_log(log: Any, ax: Axes | None = None, *, world: Maze | None = None) -> Figure:
    """Return a picture of how often a log leaves each state."""
    visits = np.bincount(np.asarray(log.states, np.int64), minlength=log.num_states)
    return _visits(visits, ax, world, log.state_names)


def paint_counts(chains: Any, ax: Axes | None = None, *, world: Maze | None = None) -> Figure:
    """Return a picture of how often the log that chains were counted from leaves each state."""
    visits = np.asarray(chains.counts).sum(axis=(0, 2))
    return _visits(visits, ax, world, chains.state_names)


def _visits(
    visits: np.ndarray, ax: Axes | None, world: Maze | None, names: Sequence[str] | None
) -> Figure:
    maze, label = maze_of(world, len(visits), names), "transitions from here"
    if maze is not None:
        width, height = style.world_size(maze.free.shape)
        figure, ax = style.canvas(ax, (width + 0.8, height))
        # A cell that was never left stays blank.
        most = max(1, int(visits.max()))
        norm = LogNorm(1, most) if most > MANY else Normalize(0, most)
        visits = np.where(visits > 0, visits, np.nan)
        maze_figures.heat_map(ax, maze, visits, label=label, norm=norm)
        return figure
    figure, ax = style.canvas(ax, (style.COLUMN, 2.4))
    sorted_curves(ax, {label: visits}, what=label)
    never = int((visits == 0).sum())
    ax.set_title(f"{never:,} of {len(visits):,} states never left", fontsize=style.TITLE)
    if visits.max() > MANY:
        ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=0)
    return figure


def paint_arrival(
    arrival: Any, ax: Axes | None = None, *, label: str | None = None, color: str = style.FR
) -> Figure:
    """Return how probable each time of arrival is, up to 99.5% of all arrivals, and the mean."""
    figure, ax = style.canvas(ax, (style.COLUMN, 2.0))
    count = 1
    if arrival.probability > 0:
        count += round(arrival.quantile(0.995) / arrival.unit)
    times = np.arange(count) * arrival.unit
    shares = arrival.distribution(count)
    ax.fill_between(times, shares, step="mid", color=color, alpha=0.35, linewidth=0)
    ax.step(times, shares, where="mid", color=color, linewidth=style.LINE, label=label)
    if np.isfinite(arrival.mean):
        ax.axvline(arrival.mean, color=color, linewidth=style.THIN, linestyle="--")
    ax.set(xlabel="time of arrival", ylabel="probability")
    ax.set_ylim(bottom=0)
    return figure


def paint_interval(interval: Any, ax: Axes | None = None) -> Figure:
    """Return a picture of intervals as bars, sorted by their lower ends."""
    figure, ax = style.canvas(ax, (style.COLUMN, 2.4))
    low, high = np.ravel(interval.low), np.ravel(interval.high)
    order = np.argsort(low, kind="stable")
    places = np.arange(len(low))
    ax.fill_between(places, low[order], high[order], step="mid", color=style.SKY, linewidth=0.3)
    ax.set(xlabel="entries, by lower end", ylabel="interval")
    return figure


def paint_plan_interval(
    certainty: Any, ax: Axes | None = None, *, world: Maze | None = None
) -> Figure:
    """Return a map of how sure a plan is, or the intervals of its discounts without a maze."""
    maze = maze_of(world, len(certainty.agreement), None)
    if maze is None:
        return paint_interval(certainty.discount, ax)
    width, height = style.world_size(maze.free.shape)
    figure, ax = style.canvas(ax, (width + 0.8, height))
    values, norm = np.asarray(certainty.agreement), Normalize(0, 1)
    maze_figures.heat_map(ax, maze, values, label="agreement", norm=norm)
    return figure
