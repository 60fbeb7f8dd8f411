"""Arenas in metres: a grid of square cells, some of them covered by walls.

    arena = fo.arena(width=1.0, height=0.5, cell=0.1, walls=[((0.4, 0.0), (0.5, 0.3))])

Cells are numbered row by row from the lower left corner, walls included, so that values can be
drawn in metres as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.arguments import PositiveFloat, check_arguments
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, as_given, warn

Corner = tuple[float | int, float | int]
"""x and y in metres."""

LARGEST = 10**7
"""Most cells of an arena."""

AT_ONCE = 2**22
"""Distances from positions to cells that are held at a time."""


class OffGridWarning(UserWarning):
    """An arena whose walls or sides do not lie on the lines between its cells."""


@dataclass(frozen=True, eq=False, repr=False)
class Arena(Displayed):
    """A rectangle of square cells.

    Attributes:
        cell: side of a cell in metres.
        free: whether each cell is free, by row from the bottom and column from the left.
    """

    cell: float
    free: Bool[np.ndarray, "rows columns"]

    @property
    def num_states(self) -> int:
        """S, the number of cells, walls included."""
        return self.free.size

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top in metres, as `imshow` takes them."""
        rows, columns = self.free.shape
        return 0.0, columns * self.cell, 0.0, rows * self.cell

    def cells_at(self, positions: Float[np.ndarray, "T 2"]) -> Int[np.ndarray, " T"]:
        """Return the cell of each position; -1 outside the arena or inside a wall."""
        rows, columns = self.free.shape
        column, row = np.floor(np.asarray(positions) / self.cell).astype(int).T
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        cells = np.where(inside, row * columns + column, 0)
        return np.where(inside & self.free.reshape(-1)[cells], cells, -1)

    def cell_at(self, x: float, y: float) -> int:
        """Return the cell of one position."""
        cell = int(self.cells_at(np.array([[x, y]]))[0])
        if cell < 0:
            raise InputError(f"cell_at: ({x}, {y}) must lie in a free part of the arena")
        return cell

    def nearest_free(
        self, positions: Float[np.ndarray, "T 2"]
    ) -> tuple[Int[np.ndarray, " T"], Float[np.ndarray, "T 2"]]:
        """Return the free cell nearest to each position, and its point nearest to the position."""
        free = np.flatnonzero(self.free)
        low = self.centres()[free] - self.cell / 2
        # Just inside the cell, so that rounding does not put the point into the next one.
        inset = 1e-6 * self.cell
        cells, points = np.zeros(len(positions), int), np.zeros((len(positions), 2))
        size = max(1, AT_ONCE // len(free))
        for begin in range(0, len(positions), size):
            part = slice(begin, begin + size)
            here = np.asarray(positions[part])[:, None]
            near = np.clip(here, low + inset, low + self.cell - inset)
            best = np.square(near - here).sum(axis=2).argmin(axis=1)
            cells[part], points[part] = free[best], near[np.arange(len(best)), best]
        return cells, points

    def centres(self) -> Float[np.ndarray, "S 2"]:
        """Return the centre of each cell in metres."""
        row, column = np.divmod(np.arange(self.num_states), self.free.shape[1])
        return (np.stack([column, row], axis=1) + 0.5) * self.cell

    def picture(self, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, "rows columns"]:
        """Return values by row and column, with NaN in walls, for `imshow(origin="lower")`."""
        grid = np.asarray(values, float).reshape(self.free.shape)
        return np.where(self.free, grid, np.nan)

    def _summary(self) -> str:
        rows, columns = self.free.shape
        return (
            f"Arena: {columns * self.cell:g} x {rows * self.cell:g} m, {columns} x {rows} cells of "
            f"{self.cell:g} m, {count(int(self.free.sum()), 'free cell')}"
        )


@check_arguments
def arena(
    *,
    width: PositiveFloat,
    height: PositiveFloat,
    cell: PositiveFloat,
    walls: Sequence[tuple[Corner, Corner]] = (),
) -> Arena:
    """Return an arena whose cells are walls where a wall covers their centre.

    Args:
        width: metres from left to right.
        height: metres from bottom to top.
        cell: side of a cell in metres.
        walls: rectangles, each by two opposite corners (x, y) in metres. An `OffGridWarning` says
            which of them do not lie on the lines between cells.

    Raises:
        InputError: if cells do not fit, a wall is not two corners, or no free cell is left.
    """
    if cell > min(width, height):
        raise InputError(f"arena: cells must fit into {width} x {height} m, got {cell}")
    if width / cell * (height / cell) > LARGEST:
        raise InputError(f"arena: there must be at most {LARGEST:,} cells, got more")
    shape = round(height / cell), round(width / cell)
    empty = Arena(cell, np.ones(shape, bool))
    off = [f"the sides {width:g} x {height:g}"] * bool(_off_grid([width, height], cell))
    free = empty.free.reshape(-1).copy()
    for wall in walls:
        low, high = _corners(wall)
        centres, slack = empty.centres(), 1e-9 * cell
        covered = ((centres >= low - slack) & (centres <= high + slack)).all(axis=1)
        free &= ~covered
        inside = np.clip([low, high], 0, [width, height])
        if _off_grid(inside, cell) or not covered.any():
            ends = " to ".join(f"({x:g}, {y:g})" for x, y in (low, high))
            off.append(f"the wall {ends}, which covers {count(int(covered.sum()), 'cell')},")
    if off:
        more = f" ({len(off)} such parts)" if len(off) > 1 else ""
        warn(
            f"arena: {off[0]} does not lie on the lines between cells of {cell:g} m{more}; "
            "choose cells whose sides divide all lengths",
            OffGridWarning,
        )
    if not free.any():
        raise InputError("arena: walls must leave a free cell, got none")
    return Arena(cell, free.reshape(shape))


def _off_grid(lengths: Sequence[float] | np.ndarray, cell: float) -> bool:
    parts = np.asarray(lengths) / cell
    return bool((np.abs(parts - np.round(parts)) > 1e-6).any())


def _corners(wall: object) -> Float[np.ndarray, "2 2"]:
    """Return the lower left and the upper right corner of a wall."""
    try:
        corners = np.asarray(wall)
    except ValueError:  # ragged
        corners = np.zeros(0)
    numbers = corners.dtype.kind in "iuf"
    if not numbers or corners.shape != (2, 2) or not np.isfinite(corners).all():
        raise InputError(
            f"arena: walls must be pairs of opposite corners ((x, y), (x, y)), got {as_given(wall)}"
        )
    return np.sort(corners.astype(float), axis=0)
