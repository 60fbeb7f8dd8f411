"""Figures of worlds, plans, representations and curves, and one way to save them.

`plot`, which is `fo.plot`, draws any record of the library. The pieces it is made of draw into an
Axes that is passed in and return it; functions named `..._figure` return a whole figure, which
notebooks show and `save` writes to a file. Nothing here touches pyplot.
"""

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import (
    bars_with_intervals,
    label_axes,
    mean_curve,
    standard_deviation,
    standard_error,
)
from first_occupancy.plotting.maze_figures import (
    draw_world,
    heat_map,
    mark_cells,
    mark_start_and_goals,
    number_axes,
    policy_arrows,
    shade_cells,
    subgoals,
)
from first_occupancy.plotting.maze_walks import trajectories, trajectory
from first_occupancy.plotting.mdp_graphs import line_layout, mdp_figure, star_layout
from first_occupancy.plotting.notebooks import NotebookFigure
from first_occupancy.plotting.painters import plot
from first_occupancy.plotting.plan_figures import tour_figure
from first_occupancy.plotting.saving import save
from first_occupancy.plotting.style import figure

__all__ = [
    "NotebookFigure",
    "bars_with_intervals",
    "draw_world",
    "figure",
    "heat_map",
    "label_axes",
    "line_layout",
    "mark_cells",
    "mark_start_and_goals",
    "mdp_figure",
    "mean_curve",
    "number_axes",
    "plot",
    "policy_arrows",
    "save",
    "shade_cells",
    "standard_deviation",
    "standard_error",
    "star_layout",
    "style",
    "subgoals",
    "tour_figure",
    "trajectories",
    "trajectory",
]
