"""Colours by role, sizes for print, and the empty figure everything is drawn into.

Settings are passed to the artists, never put into matplotlib's global rcParams: a figure
looks the same whoever else plots in the same process.

The categorical colours are Okabe and Ito's (2008), which colour-blind readers can tell
apart.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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

WALL, FLOOR, CELL_EDGE = "#7F7F7F", "#FFFFFF", "#DADADA"
START, GOAL, INK, FAINT = "#FFFFFF", "#F0E442", "#222222", "#A8A8A8"

SMALL, TEXT, TITLE = 7, 8, 9
"""Font sizes in points: labels inside drawings, all other text, titles."""

THIN, LINE = 0.6, 1.2
"""Line widths in points: frames and edges, data."""

COLUMN, PAGE, LONGEST = 3.3, 6.8, 40
"""Widths in inches: one column of a two-column page, the whole page, and the most of a world."""

Size = tuple[float | int, float | int]
"""Width and height in inches."""


def colour(number: int) -> str:
    """Return the colour of a policy, leg or trajectory; after eight they repeat."""
    return POLICIES[number % len(POLICIES)]


def figure(
    rows: int = 1, columns: int = 1, *, size: Size = (COLUMN, 2.4)
) -> tuple[Figure, np.ndarray]:
    """Return an empty figure and its [rows, columns] Axes; `size` is the whole figure's."""
    result = Figure(figsize=size, layout="constrained", facecolor="white")
    grid = result.subplots(rows, columns, squeeze=False)
    for ax in grid.flat:
        style_axes(ax)
    return result, grid


def style_axes(ax: Axes) -> Axes:
    """Return the Axes with thin frame, no box, and small tick labels."""
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

    One column wide, unless cells would become too small for a mark or clumsily large; but marks or
    no, a picture should fit into memory.
    """
    rows, columns = shape
    cell = float(np.clip(COLUMN / max(rows, columns), 0.15, 0.45))
    cell = min(cell, LONGEST / max(rows, columns))
    return columns * cell, rows * cell
