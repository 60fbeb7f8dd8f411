"""First passage of a chain: how surely, and when, it first reaches some targets from each state.

The expected discount at the first arrival, a column of the FR, is the generating function of the
time of arrival T; `Passage` has the rest: the probability that T is finite, its mean and standard
deviation, its distribution, and which target is first. All of them are exact on reducible chains:
0 where no path leads to a target, 1 where none can be missed, infinite means where there is no
arrival (`_solvers.passage_equations`).
"""

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import Displayed, count, numbered_names, span
from first_occupancy.core.errors import InputError, NoStateError, shown
from first_occupancy.core.names import Names
from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.core.world import numbered
from first_occupancy.representations._solvers.lattices import Lattice, lattice
from first_occupancy.representations._solvers.passage_equations import Entries, PassageEquations
from first_occupancy.representations.arrival import (
    FAR,
    ROUNDED,
    Arrival,
    Clocked,
    OpenShare,
    in_units,
)


class Passage(Displayed):
    """How surely, and when, a chain first reaches some targets from each state.

    Numbers are computed when they are first asked for. A passage from a target takes no time.

    Args:
        moves: moves of the chain, and how long they take.
        targets: states in which a passage ends.
        avoided: states in which it fails.
        discount: discount factor per unit of time, of `expected_discount`.
        state_names: names of the states, if any.

    Attributes:
        targets: states in which a passage ends.
        avoided: states in which it fails.
        discount: discount factor per unit of time, of `expected_discount`.
        state_names: names of the states, if any.
    """

    def __init__(
        self,
        moves: TimedMoves,
        targets: Int[np.ndarray, " K"],
        avoided: Int[np.ndarray, " V"] | None = None,
        *,
        discount: float = 1.0,
        state_names: Names | None = None,
    ) -> None:
        self.targets, self.discount, self.state_names = targets, discount, state_names
        self.avoided = np.zeros(0, int) if avoided is None else avoided
        self._moves = moves

    @property
    def probability(self) -> Float[np.ndarray, " S"]:
        """The probability of ever arriving from each state."""
        return self._equations.probability

    @property
    def mean(self) -> Float[np.ndarray, " S"]:
        """The expected time until arrival, given arrival; infinite where there is none."""
        return self._equations.mean

    @cached_property
    def std(self) -> Float[np.ndarray, " S"]:
        """The standard deviation of the time, given arrival; NaN where there is none."""
        return np.sqrt(self._equations.variance)

    @cached_property
    def expected_discount(self) -> Float[np.ndarray, " S"]:
        """The expected discount at the first arrival; at a discount of 1 the probability."""
        if self.discount == 1:
            return self.probability
        return self._equations.discounted(self.discount)

    @cached_property
    def committors(self) -> Float[np.ndarray, "S K"]:
        """The probability that each of the targets is the first to be reached."""
        columns = []
        for target in range(len(self.targets)):
            others = np.append(self.avoided, np.delete(self.targets, target))
            columns.append(Passage(self._moves, self.targets[[target]], others).probability)
        return np.stack(columns, axis=1)

    @property
    def error(self) -> float:
        """A bound on the relative error of `probability` and `mean`, as far as proved.

        Elimination, of up to 200 states, has no such proof: there it is what was measured.
        """
        sums = self._equations.system.sums
        return 0.0 if sums is None else 4 * sums.error

    @check_arguments
    def by(self, time: float | int) -> Float[np.ndarray, " S"]:
        """Return the probability of having arrived by a time, from each state."""
        units = int(in_units("by", time, self._lattice.unit))
        return np.zeros(self._size) if units < 0 else self._clocked(units)

    @check_arguments
    def quantile(self, share: OpenShare) -> Float[np.ndarray, " S"]:
        """Return the time by which a share of all arrivals has happened, from each state.

        Args:
            share: between 0 and 1.
        """
        wanted = share * self.probability * (1 - ROUNDED)
        found = np.where(self.probability > 0, np.nan, np.inf)
        ring = self._ring
        for time in range(FAR):
            if time:
                self._advance(ring, time, time + 1)
            found[np.isnan(found) & (ring[time % len(ring)] >= wanted)] = time * self._lattice.unit
            if not np.isnan(found).any():
                break
        for state in np.flatnonzero(np.isnan(found)):
            found[state] = self.arrival(int(state)).quantile(share)
        return found

    def arrival(self, start: int | str) -> Arrival:
        """Return how surely, and when, one arrives from one start: the whole distribution.

        Args:
            start: state, by number or by name.
        """
        state = state_number("arrival", "start", start, self._size, self.state_names)
        numbers = self.probability[state], self.mean[state], self.std[state]
        words = shown(state, self.state_names)
        moves = partial(self._forward_from, state)
        return Arrival(words, *numbers, moves, in_steps=self.in_steps)

    @property
    def in_steps(self) -> bool:
        """Whether times are counted in steps."""
        return self._moves.times is None

    @cached_property
    def _equations(self) -> PassageEquations:
        return PassageEquations(self._moves, self._mask(self.targets), self._mask(self.avoided))

    @property
    def _size(self) -> int:
        return self._moves.chain.shape[1]

    @property
    def _entries(self) -> Entries:
        return self._equations.entries

    @cached_property
    def _lattice(self) -> Lattice:
        times = self._entries.times
        if times is None or not len(times):
            return Lattice(1.0, np.ones(len(self._entries.ends), np.int64), 0.0)
        return lattice(times)

    def _forward_from(self, start: int) -> tuple[Clocked, int]:
        entries = self._entries
        rows = np.full((1, self._size), -1)
        rows[0, entries.states] = np.arange(len(entries.states))
        known = entries.starts, entries.ends, entries.chances, self._lattice
        return Clocked(*known, rows, self._equations.targets), start

    @property
    def _ring(self) -> Float[np.ndarray, "L S"]:
        ring = np.zeros((int(self._lattice.delays.max(initial=1)) + 1, self._size))
        ring[:, self.targets] = 1
        return ring

    def _clocked(self, units: int) -> Float[np.ndarray, " S"]:
        ring = self._ring
        self._advance(ring, 1, units + 1)
        return np.minimum(ring[units % len(ring)], self.probability)

    def _advance(self, ring: Float[np.ndarray, "L S"], begin: int, stop: int) -> None:
        from first_occupancy.representations._solvers.clocked import arrived_by

        each = self._entries
        known = each.starts, each.ends, each.chances, self._lattice.delays, each.states
        arrived_by(*known, ring, begin, stop)

    def _mask(self, states: Int[np.ndarray, " K"]) -> Bool[np.ndarray, " S"]:
        mask = np.zeros(self._size, bool)
        mask[states] = True
        return mask

    def _summary(self) -> str:
        others = self.probability[~self._mask(self.targets)]
        means = self.mean[~self._mask(self.targets)]
        lines = [
            f"Passage to {numbered_names(self.targets, self.state_names)}",
            f"from {(others > 0).sum():,} of {count(len(others), 'other state')}, "
            f"with probability {span(others)}",
            f"expected time, given arrival, {span(means[np.isfinite(means)])}",
        ]
        return "\n  ".join(lines)


def state_number(
    caller: str, what: str, state: object, size: int, names: Sequence[str] | None
) -> int:
    """Return the number of a state, given by number or by name.

    Raises:
        InputError: if there is no such state.
    """
    try:
        return numbered(state, size, names)
    except NoStateError as error:
        raise InputError(f"{caller}: {what} {error.problem}") from None
