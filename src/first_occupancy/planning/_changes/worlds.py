"""Worlds that change: edits are checked as a whole first, then applied; states keep their numbers.

Closed states are neither entered nor left: moves into them stay in place, with the probability that
they had of leading there.
"""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError, as_given, shown
from first_occupancy.core.world import World, number_in


class Edit(NamedTuple):
    """A checked edit.

    Attributes:
        close: states to close.
        open: states to open.
        rows: new moves of states; what they are depends on the world.
    """

    close: frozenset[int]
    open: frozenset[int]
    rows: Mapping[Any, Any]


class Moves(NamedTuple):
    """Where each action leads from some states, and how long it takes; None if always 1."""

    ends: Int[np.ndarray, "K A"]
    times: Float[np.ndarray, "K A"] | None


class ChangingWorld:
    """A world that is edited in place; the world it was made of stays as it is."""

    def __init__(self, world: Any) -> None:
        self.original, self.closed = world, set[int]()
        self.rows: dict[Any, Any] = {}
        """New moves of states that have been edited."""

    def copy(self) -> "ChangingWorld":
        """Return a copy that stays as it is."""
        copied = copy(self)
        copied.closed, copied.rows = set(self.closed), dict(self.rows)
        return copied

    def checked(self, *, close: Any, open: Any, edges: Any, probabilities: Any) -> Edit:
        """Return an edit in numbers, after checking all of it."""
        given = {"edges": edges, "probabilities": probabilities}
        for name, value in given.items():
            if value and name not in self._rows_of:
                raise InputError(
                    f"change: {name} must be left out in a {type(self.original).__name__}, which "
                    f"has none, got {as_given(value)}"
                )
        to_close = frozenset(self._numbers(close, "a state to close"))
        to_open = frozenset(self._numbers(open, "a state to open"))
        if both := to_close & to_open:
            raise InputError(
                f"change: close and open must be different states, got {self._shown(min(both))} in "
                "both"
            )
        if len((self.closed | to_close) - to_open) == self.original.num_states:
            raise InputError("change: close must leave a state open, got all of them")
        rows = {}
        for name, check in self._rows_of.items():
            if not isinstance(given[name] or {}, Mapping):
                raise InputError(f"change: {name} must be a dict, got {as_given(given[name])}")
            rows |= dict(check(*each) for each in (given[name] or {}).items())
        return Edit(to_close - self.closed, to_open & self.closed, rows)

    def apply(self, edit: Edit) -> Int[np.ndarray, " K"]:
        """Change the world; return the states whose moves may have changed."""
        flipped = np.array(sorted(edit.close | edit.open), int)
        before = self._around(flipped)
        self.closed = (self.closed | edit.close) - edit.open
        edited = self._write(edit)
        return np.unique(np.concatenate([before, self._around(flipped), np.array(edited, int)]))

    def moves(self, states: Int[np.ndarray, " K"]) -> Moves | None:
        """Return where actions lead from some states; None if some are stochastic there."""
        raise NotImplementedError

    @property
    def _rows_of(self) -> Mapping[str, Callable[[Any, Any], tuple[Any, Any]]]:
        """How rows are checked, by the name of the argument."""
        return {}

    def _write(self, edit: Edit) -> list[int]:
        """Write the rows of an edit; return their states."""
        return []

    def _around(self, states: Int[np.ndarray, " W"]) -> Int[np.ndarray, " K"]:
        """Return the states whose moves may change if some states are closed or opened."""
        raise NotImplementedError

    def build(self) -> World:
        """Return the world as it is now."""
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
