"""Worlds that change: edits are checked as a whole first, then applied; states keep their numbers.

Closed states are neither entered nor left: moves into them stay in place, with the probability that
they had of leading there.
"""

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError, as_given, shown
from first_occupancy.core.world import World, number_in
from first_occupancy.environments._maze_moves import Grid
from first_occupancy.environments.mazes import Maze

Moves = tuple[Int[np.ndarray, "K A"], Float[np.ndarray, "K A"]]
"""Where each action leads from some states, and how long it takes."""


class ChangingWorld:
    """A world that is edited in place; the world it was made of stays as it is.

    Attributes:
        closed: the states that are closed now.
        rows: new moves of states that have been edited.
        takes: the argument of `change` that gives new moves, if there is one.
    """

    takes: str | None = None

    def __init__(self, world: Any) -> None:
        self.original, self.closed = world, set[int]()
        self.rows: dict[tuple[int, int], list[tuple[int, float]]] = {}

    def copy(self) -> "ChangingWorld":
        """Return a copy that stays as it is."""
        copied = copy(self)
        copied.closed, copied.rows = set(self.closed), dict(self.rows)
        return copied

    def apply(self, close: Any, open: Any, **moves: Any) -> Int[np.ndarray, " K"]:
        """Check an edit, then make it; return the states whose moves may have changed."""
        to_close = {*self._numbers(close, "a state to close")}
        to_open = {*self._numbers(open, "a state to open")}
        if both := to_close & to_open:
            raise InputError(
                f"change: close and open must be different states, got {self._shown(min(both))} in "
                "both"
            )
        if (start := getattr(self.original, "start", None)) in to_close:
            raise InputError(f"change: close must leave the start free, got {self._shown(start)}")
        if len((self.closed | to_close) - to_open) == self.original.num_states:
            raise InputError("change: close must leave a state open, got all of them")
        edits: dict[Any, Any] = {}
        for name, given in moves.items():
            if given and name != self.takes:
                raise InputError(
                    f"change: {name} must be left out in a {type(self.original).__name__}, which "
                    f"has none, got {as_given(given)}"
                )
            if not isinstance(given or {}, Mapping):
                raise InputError(f"change: {name} must be a dict, got {as_given(given)}")
            edits |= dict(self._checked(*each) for each in (given or {}).items())
        flipped = np.array(sorted((to_close - self.closed) | (to_open & self.closed)), int)
        self.closed = (self.closed | to_close) - to_open
        return self._write(flipped, edits)

    def moves(self, states: Int[np.ndarray, " K"]) -> Moves | None:
        """Return where actions lead from some states; None if some are stochastic there."""
        raise NotImplementedError

    def build(self) -> World:
        """Return the world as it is now."""
        raise NotImplementedError

    def _checked(self, place: Any, moves: Any) -> tuple[Any, Any]:
        """Return new moves in numbers, and where they are."""
        raise NotImplementedError

    def _write(self, flipped: Int[np.ndarray, " W"], edits: dict[Any, Any]) -> np.ndarray:
        """Write new moves, once some states are flipped; return the states that both concern."""
        raise NotImplementedError

    def _numbers(self, given: Any, what: str) -> list[int]:
        if isinstance(given, np.ndarray) and given.ndim:
            given = [tuple(each.tolist()) if each.ndim else each for each in given]
        one = not isinstance(given, list | set | frozenset) and given != ()
        return [self._number(state, what) for state in ([given] if one else given)]

    def _number(self, state: Any, what: str) -> int:
        return number_in(self.original, state, caller="change", what=what)

    def _shown(self, state: int) -> str:
        return shown(state, self.original.state_names)


class ChangingMaze(ChangingWorld):
    """A maze of which cells are closed and opened."""

    def __init__(self, world: Maze) -> None:
        super().__init__(world)
        self.closed = set(world.walled)
        closed = np.array(world.walled, int)
        self._grid = Grid(world.free, world.moves, world.corners, world.exits, closed=closed)

    def moves(self, states: Int[np.ndarray, " K"]) -> Moves | None:
        """Return where moves lead from some cells; None if there is noise."""
        if self.original.noise:
            return None
        ends, times = self.ends(states), self.original.entry_times
        return ends, np.ones(ends.shape) if times is None else times[ends]

    def ends(self, states: Int[np.ndarray, " K"]) -> Int[np.ndarray, "K A"]:
        """Return where moves lead from some cells without noise."""
        return self._grid.targets(states).T

    def build(self) -> Maze:
        return self.original.with_walls(self.original.cells[sorted(self.closed)])

    def _write(self, flipped: Int[np.ndarray, " W"], edits: dict[Any, Any]) -> np.ndarray:
        shut = np.array([state in self.closed for state in flipped.tolist()], bool)
        self._grid.close(flipped[shut])
        self._grid.open(flipped[~shut])
        return self._grid.around(flipped)

    def _shown(self, state: int) -> str:
        return str(self.original.cell(state))
