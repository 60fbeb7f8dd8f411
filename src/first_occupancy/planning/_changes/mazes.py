"""Mazes of which cells are closed and opened."""

from typing import Any

import numpy as np
from jaxtyping import Int

from first_occupancy.core.errors import InputError
from first_occupancy.environments._maze_moves import Grid
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning._changes.worlds import ChangingWorld, Edit, Moves


class ChangingMaze(ChangingWorld):
    """A maze of which cells are closed and opened."""

    def __init__(self, world: Maze) -> None:
        super().__init__(world)
        self.closed = set(world.walled)
        closed = np.array(world.walled, int)
        self._grid = Grid(world.free, world.moves, world.corners, world.exits, closed=closed)

    def checked(self, **given: Any) -> Edit:
        """Return an edit in numbers, after checking all of it."""
        edit = super().checked(**given)
        if self.original.start in edit.close:
            raise InputError(
                f"change: close must leave the start free, got {self._shown(self.original.start)}"
            )
        return edit

    def moves(self, states: Int[np.ndarray, " K"]) -> Moves | None:
        """Return where moves lead from some cells; None if there is noise."""
        if self.original.noise:
            return None
        ends, times = self.ends(states), self.original.entry_times
        return Moves(ends, None if times is None else times[ends])

    def ends(self, states: Int[np.ndarray, " K"]) -> Int[np.ndarray, "K A"]:
        """Return where moves lead from some cells without noise."""
        return self._grid.targets(states).T

    def _write(self, edit: Edit) -> list[int]:
        self._grid.close(np.array(sorted(edit.close), int))
        self._grid.open(np.array(sorted(edit.open), int))
        return []

    def _around(self, states: Int[np.ndarray, " W"]) -> Int[np.ndarray, " K"]:
        return self._grid.around(states)

    def build(self) -> Maze:
        return self.original.with_walls(self.original.cells[sorted(self.closed)])

    def _shown(self, state: int) -> str:
        return str(self.original.cell(state))
