"""One function that draws any record of the library, and the list of what it can draw."""

from inspect import Parameter, signature
from typing import Any

import jax
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.core import display
from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.plotting import (
    arena_figures,
    behaviour_painters,
    place_painters,
    plan_painters,
    table_painters,
    trip_painters,
    world_painters,
)

PAINTERS: dict[str, display.Painter] = {
    "Maze": world_painters.paint_maze,
    "MDP": world_painters.paint_mdp,
    "Plan": plan_painters.paint_plan,
    "Arrival": table_painters.paint_arrival,
    "PlansOnHost": plan_painters.paint_plan,
    "Collection": trip_painters.paint_trip,
    "Tour": trip_painters.paint_tour,
    "Leg": plan_painters.paint_leg,
    "Occupancies": table_painters.paint_occupancies,
    "Evaluation": table_painters.paint_evaluation,
    "Log": table_painters.paint_log,
    "EmpiricalChains": table_painters.paint_counts,
    "Arena": arena_figures.paint_arena,
    "Tracking": behaviour_painters.paint_tracking,
    "Visits": behaviour_painters.paint_visits,
    "Comparison": behaviour_painters.paint_comparison,
    "EnumeratedWorld": place_painters.paint_places,
    "Graph": place_painters.paint_places,
    "CorrectedInterval": table_painters.paint_interval,
    "PlanInterval": table_painters.paint_plan_interval,
}
"""The painter of each class of records, and of those that inherit from it, by its name."""


@check_arguments
def plot(thing: Any, ax: Axes | None = None, **options: Any) -> Figure:
    """Draw a maze, an MDP, a plan, when it arrives, a tour, a trip, FRs, a log or an evaluation.

    Plans, FRs, logs and evaluations are drawn over a maze, `fo.plot(plan, world=maze)`. Plans, FRs
    and arrays over the states are drawn over any world, by its positions or as a graph. Those that
    have the maze's cells as names, as `fo.plan` gives them in mazes of up to 10,000 cells, do not
    need `world`. Without a maze, plans are shown as their legs or their discounts, FRs as
    matrices, and the rest as curves over the states.

        fo.plot(fo.plan(world, goal, discount=0.95), start=world.start)

    Notebooks show the figure; `first_occupancy.plotting.save` writes it to a file.

    Args:
        thing: what to draw. Notebooks draw it likewise, without options, if it is the last line of
            a cell.
        ax: matplotlib's Axes to draw on; by default those of a new figure.
        **options: `world`, the maze to draw over. For plans also `start` (state or cell), `goal`
            (of plans to many goals) and `policies` (base policies other than the maze's moves); for
            FRs `state` or `goal`, `policy`, `arena`, `vmin` and `vmax`; for arrays also `label`;
            where there is no maze, `positions`: (x, y) of each state, with y pointing down. Others
            are refused, with the names of those there are.

    Returns:
        The figure, new or that of `ax`.

    Raises:
        InputError: if it is nothing that can be drawn, or there is no such option.
    """
    is_array = isinstance(thing, np.ndarray | jax.Array) and "world" in options
    painter = place_painters.paint_table if is_array else display.painter_of(thing)
    if painter is None:
        raise InputError(
            f"plot: can draw {', '.join(sorted(PAINTERS))}, got {type(thing).__name__}"
        )
    if not display.is_readable(thing):
        raise InputError("plot: values must be concrete, got traced ones, as inside jit")
    parameters = signature(painter).parameters.values()
    known = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    unknown = [name for name in options if name not in known]
    if unknown:
        kind = type(thing).__name__
        raise InputError(
            f"plot: options for a {kind} must be among {', '.join(known) or 'none'}, "
            f"got {', '.join(unknown)}"
        )
    return painter(thing, ax, **options)
