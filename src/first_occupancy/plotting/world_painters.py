"""How `fo.plot` draws worlds: mazes as they are drawn, MDPs as graphs or matrices."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from first_occupancy.core.mdp import MDP
from first_occupancy.environments.mazes import Maze
from first_occupancy.plotting import maze_figures, mdp_graphs, style
from first_occupancy.plotting.matrices import matrix

MOST_NODES, MOST_ARROWS = 12, 40
"""States and arrows up to which an MDP is drawn as a graph."""


def paint_maze(maze: Maze, ax: Axes | None = None) -> Figure:
    """Return a picture of a maze with its start and its goals."""
    figure, ax = style.canvas(ax, style.world_size(maze.free.shape))
    maze_figures.draw_world(ax, maze)
    maze_figures.mark_start_and_goals(ax, maze)
    return figure


def paint_mdp(mdp: MDP, ax: Axes | None = None) -> Figure:
    """Return the graph of a small MDP, or the matrix of the transitions of a larger one."""
    linked = np.asarray(mdp.transition).max(axis=1) > 0
    if len(linked) > MOST_NODES or linked.sum() > MOST_ARROWS:
        return _transitions(mdp, ax)
    positions = _layout(linked)
    if ax is None:
        return mdp_graphs.mdp_figure(mdp, positions=positions)
    mdp_graphs.draw_mdp(ax, mdp, positions)
    return style.canvas(ax, (0, 0))[0]


def _layout(linked: np.ndarray) -> np.ndarray:
    """Return a star if all links are with state 0, a line otherwise."""
    outer = linked[1:, 1:] & ~np.eye(len(linked) - 1, dtype=bool)
    is_star = len(linked) > 3 and not outer.any()
    return (mdp_graphs.star_layout if is_star else mdp_graphs.line_layout)(len(linked))


def _transitions(mdp: MDP, ax: Axes | None) -> Figure:
    figure, ax = style.canvas(ax, (style.COLUMN + 0.9, style.COLUMN))
    label = "probability, actions at random"
    chain = np.asarray(mdp.transition).mean(axis=1)
    names, shown = mdp.state_names, np.where(chain > 0, chain, np.nan)
    matrix(ax, shown, names, names, label=label, norm=Normalize(0, chain.max()))
    ax.set(xlabel="to", ylabel="from")
    return figure
