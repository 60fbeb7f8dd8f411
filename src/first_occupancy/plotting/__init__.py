"""Figures of worlds, plans, representations and curves, and one way to save them.

`plot`, which is `fo.plot`, draws any record of the library. The pieces it is made of draw into an
Axes that is passed in and return it; functions named `..._figure` return a whole figure, which
notebooks show and `save` writes to a file. The modules have more pieces. Nothing here touches
pyplot.
"""

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes, mean_curve
from first_occupancy.plotting.figure_files import NotebookFigure, save
from first_occupancy.plotting.maze_figures import draw_world, heat_map, mark_start_and_goals
from first_occupancy.plotting.maze_walks import trajectories
from first_occupancy.plotting.mdp_graphs import mdp_figure
from first_occupancy.plotting.painters import plot
from first_occupancy.plotting.plan_figures import tour_figure
from first_occupancy.plotting.style import figure

__all__ = [
    "NotebookFigure",
    "draw_world",
    "figure",
    "heat_map",
    "label_axes",
    "mark_start_and_goals",
    "mdp_figure",
    "mean_curve",
    "plot",
    "save",
    "style",
    "tour_figure",
    "trajectories",
]
