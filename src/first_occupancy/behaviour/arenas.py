"""Arenas in metres: a grid of square cells, some of them covered by obstacles.

    arena = rectangular_arena(width=1.0, height=0.5, cell=0.1, obstacles=[(0.4, 0.0, 0.5, 0.3)])

Cells are numbered row by row from the lower left corner, walls included, so that values can be
drawn in metres as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.errors import InputError

Rectangle = tuple[float, float, float, float]
"""An obstacle: left, bottom, right and top, in metres."""


@dataclass(frozen=True, eq=False)
class Arena:
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
        """Return the cell of each position; -1 outside the arena or inside an obstacle."""
        rows, columns = self.free.shape
        column, row = np.floor(np.asarray(positions) / self.cell).astype(int).T
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        cells = np.where(inside, row * columns + column, 0)
        return np.where(inside & self.free.reshape(-1)[cells], cells, -1)

    def cell_at(self, x: float, y: float) -> int:
        """Return the cell of one position.

        Args:
            x: metres from the left.
            y: metres from the bottom.

        Raises:
            InputError: if it lies outside the arena or inside an obstacle.
        """
        cell = int(self.cells_at(np.array([[x, y]]))[0])
        if cell < 0:
            raise InputError(f"cell_at: ({x}, {y}) must lie in a free part of the arena")
        return cell

    def centres(self) -> Float[np.ndarray, "S 2"]:
        """Return the centre of each cell in metres."""
        row, column = np.divmod(np.arange(self.num_states), self.free.shape[1])
        return (np.stack([column, row], axis=1) + 0.5) * self.cell

    def picture(self, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, "rows columns"]:
        """Return values by row and column, with NaN in walls, for `imshow(origin="lower")`."""
        grid = np.asarray(values, float).reshape(self.free.shape)
        return np.where(self.free, grid, np.nan)


def rectangular_arena(
    *, width: float, height: float, cell: float, obstacles: Sequence[Rectangle] = ()
) -> Arena:
    """Return an arena whose cells are walls where an obstacle covers their centre.

    Args:
        width: metres from left to right.
        height: metres from bottom to top.
        cell: side of a cell in metres.
        obstacles: rectangles (left, bottom, right, top) in metres.

    Raises:
        InputError: if a length is not positive, or the obstacles leave no free cell.
    """
    if not (width > 0 and height > 0 and 0 < cell <= min(width, height)):
        raise InputError(
            "rectangular_arena: width, height and cell must be positive, and cells must fit, "
            f"got {width}, {height} and {cell}"
        )
    rows, columns = round(height / cell), round(width / cell)
    arena = Arena(cell, np.ones((rows, columns), bool))
    x, y = arena.centres().T
    free = np.ones(arena.num_states, bool)
    for left, bottom, right, top in obstacles:
        free &= ~((x >= left) & (x <= right) & (y >= bottom) & (y <= top))
    if not free.any():
        raise InputError("rectangular_arena: obstacles must leave a free cell, got none")
    return Arena(cell, free.reshape(rows, columns))
