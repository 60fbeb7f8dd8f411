"""Colours by role, sizes for print, and the empty figure everything is drawn into.

Settings are passed to the artists, never put into matplotlib's global rcParams: a figure
looks the same whoever else plots in the same process.

The categorical colours are Okabe and Ito's (2008), which colour-blind readers can tell
apart.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.plotting.figure_files import NotebookFigure

TEAL, VERMILLION, BLUE, PURPLE = "#009E73", "#D55E00", "#0072B2", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
# Okabe and Ito's yellow is too faint for thin lines on white paper.
OLIVE = "#8A7F00"

FR, SR, VI, GPI = TEAL, VERMILLION, BLUE, PURPLE
"""The methods, the same in every figure."""

POLICIES = (BLUE, ORANGE, TEAL, VERMILLION, PURPLE, SKY, OLIVE, BLACK)
"""The cycle for policies, legs of plans, and trajectories: eight, for eight moves."""

HEAT = "viridis"
"""The colour map of occupancies and values: even in lightness, so grey prints work too."""

WALL, FLOOR, CELL_EDGE, LOST = "#7F7F7F", "#FFFFFF", "#DADADA", "#E4DCE6"
"""Cells of a maze; `LOST` are those from which a plan does not reach its goal."""

START, GOAL, INK, FAINT, PLAIN = "#FFFFFF", "#F0E442", "#222222", "#A8A8A8", "#505050"

SMALL, TEXT, TITLE = 7, 8, 9
"""Font sizes in points: labels inside drawings, all other text, titles."""

THIN, LINE = 0.6, 1.2
"""Line widths in points: frames and edges, data."""

COLUMN, PAGE, LONGEST = 3.3, 6.8, 8
"""Widths in inches: one column of a two-column page, the whole page, and the longest side of a
world's picture, however many cells it has."""

Size = tuple[float | int, float | int]
"""Width and height in inches."""


def colour(number: int) -> str:
    """Return the colour of a policy, leg or trajectory; the eight colours repeat."""
    return POLICIES[number % len(POLICIES)]


def figure(
    rows: int = 1, columns: int = 1, *, size: Size = (COLUMN, 2.4)
) -> tuple[NotebookFigure, np.ndarray]:
    """Return an empty figure with a grid of Axes.

    Args:
        rows: number of rows of Axes.
        columns: number of columns of Axes.
        size: width and height of the whole figure in inches.

    Returns:
        The figure, and its Axes as an array [rows, columns].
    """
    result = NotebookFigure(figsize=size, layout="constrained", facecolor="white")
    grid = result.subplots(rows, columns, squeeze=False)
    for ax in grid.flat:
        style_axes(ax)
    return result, grid


def literal(text: str) -> str:
    """Return a text that matplotlib draws as it is: dollar signs do not begin a formula."""
    return text.replace("$", r"\$")


def canvas(ax: Axes | None, size: Size) -> tuple[Figure, Axes]:
    """Return the Axes and their figure, or those of a new figure."""
    if ax is None:
        made, grid = figure(size=size)
        return made, grid[0, 0]
    own = ax.get_figure(root=True)
    assert own is not None
    return own, ax


def panels(ax: Axes | None, count: int, size: Size, *, columns: int) -> tuple[Figure, list[Axes]]:
    """Return the Axes of several panels in a new figure of this size, or those given."""
    if ax is not None:
        return canvas(ax, size)[0], [ax]
    made, grid = figure(-(-count // columns), columns, size=size)
    for empty in grid.flat[count:]:
        empty.set_axis_off()
    return made, [*grid.flat[:count]]


def style_axes(ax: Axes) -> Axes:
    """Return the Axes with thin axes on the left and below, and small tick labels."""
    ax.spines[["top", "right"]].set_visible(False)
    for spine in ax.spines.values():
        spine.set_linewidth(THIN)
    ax.tick_params(labelsize=TEXT, width=THIN, length=2.5)
    ax.xaxis.label.set_fontsize(TEXT)
    ax.yaxis.label.set_fontsize(TEXT)
    ax.title.set_fontsize(TITLE)
    return ax


def world_size(shape: tuple[int, int]) -> Size:
    """Return the size of a drawing with this many rows and columns of square cells.

    Small worlds fill one column of a page. Larger ones grow with their cells, which stay large
    enough for a mark, up to `LONGEST`; beyond that the cells shrink.
    """
    rows, columns = shape
    cell = float(np.clip(COLUMN / max(rows, columns), 0.15, 0.45))
    cell = min(cell, LONGEST / max(rows, columns))
    return columns * cell, rows * cell
