"""Cells of a maze as parts of a drawing: their size on paper, texts and images of many."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import to_rgba
from matplotlib.image import AxesImage
from matplotlib.transforms import Bbox

from first_occupancy.environments.mazes import Maze
from first_occupancy.plotting import style

MOST_SQUARES = 2_500
"""Cells up to which each is a shape of its own; a larger maze is one image."""

MOST_PIXELS = 1_600
"""Cells along a side up to which an image has one pixel for each; beyond, blocks share pixels."""

ARROW_SPACE = 9
"""Points that an arrow needs to be told from its neighbours."""

MOST_ARROWS = 1_600
"""Arrows in a picture: in a vector file, each takes some 300 bytes."""


def cell_points(ax: Axes, maze: Maze) -> float:
    """Return the size of a cell in points, a little low before the layout is done."""
    rows, columns = maze.free.shape
    figure = ax.get_figure(root=True)
    assert figure is not None
    width, height = figure.get_size_inches() * 72
    place = ax.get_position(original=True)
    return min(place.width * width / columns, place.height * height / rows)


def is_large(maze: Maze) -> bool:
    """Return whether a maze has too many cells to draw one by one."""
    return maze.free.size > MOST_SQUARES


def image(ax: Axes, grid: Float[np.ndarray, "rows columns *colour"], **look: Any) -> AxesImage:
    """Draw numbers or colours onto the cells as one image, averaged where there are too many."""
    rows, columns = grid.shape[:2]
    block = -(-max(rows, columns) // MOST_PIXELS)
    grid = _averaged(grid, block) if block > 1 else grid
    down, right = grid.shape[:2]
    extent = (-0.5, right * block - 0.5, down * block - 0.5, -0.5)
    values = np.ma.masked_invalid(grid) if grid.ndim == 2 else grid
    # Without interpolation vector files hold the cells themselves, whatever the size on paper.
    return ax.imshow(values, extent=extent, interpolation="none", **look)


def _averaged(grid: np.ndarray, block: int) -> np.ndarray:
    """Return the mean of each block of cells, of those that have a value."""
    rows, columns = grid.shape[:2]
    margins = [(0, -rows % block), (0, -columns % block), *[(0, 0)] * (grid.ndim - 2)]
    padded = np.pad(grid.astype(float), margins, constant_values=np.nan)
    shape = (padded.shape[0] // block, block, padded.shape[1] // block, block, *grid.shape[2:])
    blocks = padded.reshape(shape)
    known = np.isfinite(blocks)
    counts = known.sum(axis=(1, 3))
    sums = np.where(known, blocks, 0).sum(axis=(1, 3))
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def coloured(chosen: Bool[np.ndarray, "rows columns"], colour: str) -> Float[np.ndarray, "r c 4"]:
    """Return an image of the chosen cells in a colour, with nothing elsewhere."""
    image = np.zeros((*chosen.shape, 4))
    image[..., :3] = to_rgba(colour)[:3]
    image[..., 3] = chosen
    return image


def thinned(ax: Axes, maze: Maze, chosen: Bool[np.ndarray, " S"]) -> tuple[np.ndarray, int]:
    """Return those of the chosen states at which arrows have room, and the cells of each.

    In a maze with small cells, one state stands for each block of cells: the chosen one that is
    nearest to the middle of the block.
    """
    states = np.flatnonzero(chosen)
    size = cell_points(ax, maze)
    block = 1 if size >= 0.8 * ARROW_SPACE else int(np.ceil(ARROW_SPACE / size))
    kept = _one_per_block(maze.cells[states], block)
    while len(kept) > MOST_ARROWS:
        block += 1
        kept = _one_per_block(maze.cells[states], block)
    return states[kept], block


def _one_per_block(cells: Int[np.ndarray, "N 2"], block: int) -> Int[np.ndarray, " M"]:
    """Return which cells to keep, in order: in each block the one nearest to its middle."""
    if block == 1:
        return np.arange(len(cells))
    places = cells // block
    off = np.abs(cells - places * block - (block - 1) / 2).sum(axis=1)
    order = np.lexsort((off, places[:, 1], places[:, 0]))
    ranked = places[order]
    first = np.append(True, (np.diff(ranked, axis=0) != 0).any(axis=1))[: len(cells)]
    return np.sort(order[first])


def write(ax: Axes, cell: tuple[int, int], text: str, size: float, colour: str) -> None:
    """Write a text centred on a cell, above everything else."""
    middle = {"ha": "center", "va": "center_baseline" if text.isalnum() else "center"}
    row, column = cell
    ax.text(column, row, text, fontsize=size, color=colour, zorder=5, **middle)


def write_inside(ax: Axes, maze: Maze, state: int, text: str, colour: str) -> None:
    """Write a text into a state's cell, as large as fits."""
    size = 2.1 * cell_points(ax, maze) / max(len(text), 1)
    write(ax, maze.cell(state), text, float(np.clip(size, 4, style.SMALL)), colour)


def write_values(
    ax: Axes, maze: Maze, values: np.ndarray, mesh: ScalarMappable, number_format: str
) -> None:
    """Write each state's value into its cell, dark on light and light on dark."""
    for state, (value, face) in enumerate(zip(values, mesh.to_rgba(values), strict=True)):
        if np.isfinite(value):
            write_inside(ax, maze, state, number_format.format(value), readable_on(face))


def readable_on(face: Sequence[float] | np.ndarray) -> str:
    """Return black or white, whichever stands out from a colour."""
    red, green, blue, alpha = face
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    return style.INK if alpha * light + 1 - alpha > 0.5 else "white"


def colour_bar(ax: Axes, mesh: ScalarMappable, label: str) -> None:
    """Add a colour bar to the right of the Axes, as tall as what is drawn there."""
    figure = ax.get_figure()
    assert figure is not None
    bar = figure.colorbar(mesh, ax=ax, aspect=18, pad=0.02)
    bar.ax.set_box_aspect(None)
    bar.ax.set_axes_locator(partial(_beside, ax))
    bar.set_label(label, fontsize=style.TEXT)
    bar.ax.tick_params(labelsize=style.TEXT, width=style.THIN, length=2.5)
    bar.outline.set_linewidth(style.THIN)


def _beside(ax: Axes, bar: Axes, renderer: object) -> Bbox:
    """Return where a colour bar goes once the layout and the aspect of its Axes are known."""
    ax.apply_aspect()
    place, slot, own = ax.get_position(), ax.get_position(True), bar.get_position(True)
    left = place.x1 + own.x0 - slot.x1
    return Bbox.from_extents(left, place.y0, left + own.width, place.y1)
