"""Arrays in, figures out: worlds, plans, chains and curves, and one way to save them.

Nothing here touches pyplot or shows anything. The small pieces draw into an Axes and
return it; functions named `..._figure` return a finished Figure; `save` writes it.
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
    subgoals,
    trajectories,
    trajectory,
)
from first_occupancy.plotting.mdp_graphs import line_layout, mdp_figure, star_layout
from first_occupancy.plotting.plan_figures import plan_figure, tour_figure
from first_occupancy.plotting.saving import save
from first_occupancy.plotting.style import figure

__all__ = [
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
    "plan_figure",
    "policy_arrows",
    "save",
    "standard_deviation",
    "standard_error",
    "star_layout",
    "style",
    "subgoals",
    "tour_figure",
    "trajectories",
    "trajectory",
]
