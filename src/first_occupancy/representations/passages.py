"""First passage of a chain: how surely, and when, it first reaches some targets from each state.

The expected discount at the first arrival, a column of the FR, is the generating function of the
time of arrival; `Passage` has the rest. On reducible chains probabilities are exactly 0 where no
path leads to a target and 1 where none can be missed (`_solvers.passage_equations`).
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import Displayed, count, numbered_names, span
from first_occupancy.core.errors import InputError, NoStateError, shown
from first_occupancy.core.names import Names
from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.core.world import numbered
from first_occupancy.representations._solvers.induction import Induction
from first_occupancy.representations._solvers.lattices import Lattice, lattice
from first_occupancy.representations._solvers.passage_equations import PassageEquations
from first_occupancy.representations.arrival import (
    FAR,
    ROUNDED,
    Arrival,
    Forward,
    OpenShare,
    in_units,
)


@dataclass(eq=False, repr=False)
class Passage(Displayed):
    """How surely, and when, a chain first reaches some targets from each state.

    Numbers are computed when they are first asked for. A passage from a target takes no time.

    Attributes:
        moves: moves of the chain, and how long they take.
        targets: states in which a passage ends.
        avoided: states in which it fails.
        discount: discount factor per unit of time, of `expected_discount`.
        state_names: names of the states, if any.
    """

    moves: TimedMoves
    targets: Int[np.ndarray, " K"]
    avoided: Int[np.ndarray, " V"]
    discount: float = 1.0
    state_names: Names | None = None

    @property
    def probability(self) -> Float[np.ndarray, " S"]:
        """The probability of ever arriving from each state."""
        return self._equations.undiscounted.values

    @property
    def mean(self) -> Float[np.ndarray, " S"]:
        """The expected time until arrival, given arrival; infinite where there is none."""
        return self._equations.mean

    @property
    def std(self) -> Float[np.ndarray, " S"]:
        """The standard deviation of the time, given arrival; NaN where there is none."""
        return self._equations.std

    @cached_property
    def expected_discount(self) -> Float[np.ndarray, " S"]:
        """The expected discount at the first arrival; at a discount of 1 the probability."""
        if self.discount == 1:
            return self.probability
        return self._equations.arrivals(self.discount).values

    @cached_property
    def committors(self) -> Float[np.ndarray, "S K"]:
        """The probability that each of the targets is the first to be reached."""
        others = [np.delete(self.targets, target) for target in range(len(self.targets))]
        columns = [
            Passage(self.moves, self.targets[[target]], np.append(self.avoided, other)).probability
            for target, other in enumerate(others)
        ]
        return np.stack(columns, axis=1)

    @property
    def error(self) -> float:
        """A bound on the relative error of `probability` and `mean`.

        It is proved, unless parts of the chain are so rarely left that states are eliminated
        without subtraction; there it is what was measured.
        """
        return self._equations.error

    @check_arguments
    def by(self, time: float | int) -> Float[np.ndarray, " S"]:
        """Return the probability of having arrived by a time, from each state."""
        units = int(in_units("by: time", time, self._lattice.unit))
        if units < 0:
            return np.zeros(len(self.probability))
        return np.minimum(self._induction().until(units), self.probability)

    @check_arguments
    def quantile(self, share: OpenShare) -> Float[np.ndarray, " S"]:
        """Return the time by which a share of all arrivals has happened, from each state.

        Args:
            share: between 0 and 1.
        """
        wanted = share * self.probability * (1 - ROUNDED)
        found = np.where(self.probability > 0, np.nan, np.inf)
        induction = self._induction()
        for time in range(FAR):
            found[np.isnan(found) & (induction.until(time) >= wanted)] = time * self._lattice.unit
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
        try:
            state = numbered(start, len(self.probability), self.state_names)
        except NoStateError as error:
            raise InputError(f"arrival: start {error.problem}") from None
        surely, mean, std = self.probability[state], self.mean[state], self.std[state]
        words, in_steps = shown(state, self.state_names), self.moves.times is None
        forward = partial(self._forward, state)
        return Arrival(float(surely), float(mean), float(std), words, forward, in_steps)

    def _forward(self, state: int) -> Forward:
        surely, mean, each = self.probability[state], self.mean[state], self._lattice
        if self.std[state] == 0 < mean:  # One time, which may be no multiple of any unit.
            unit = float(mean) if each.rounding else each.unit
            once = Lattice(unit, np.array([round(mean / unit)]), 0.0)
            return Forward(csr_array([[0.0, surely]]), once, np.array([[0, -1]]), np.array([1]), 0)
        # Where none arrives, there is nothing to carry on.
        rows = np.where(self.probability > 0, np.arange(len(self.probability)), -1)[None]
        return Forward(self._equations.chain, each, rows, self.targets, state)

    @cached_property
    def _equations(self) -> PassageEquations:
        return PassageEquations(self.moves, self.targets, self.avoided)

    @cached_property
    def _lattice(self) -> Lattice:
        return lattice(self._equations.times, self._equations.chain.nnz)

    def _induction(self) -> Induction:
        return Induction(self._equations.chain, self._lattice.delays, self.targets, self.avoided)

    def _summary(self) -> str:
        others = np.delete(self.probability, self.targets)
        means = np.delete(self.mean, self.targets)
        lines = [
            f"Passage to {numbered_names(self.targets, self.state_names)}",
            f"from {(others > 0).sum():,} of {count(len(others), 'other state')}, "
            f"with probability {span(others)}",
            f"expected time, given arrival, {span(means[np.isfinite(means)])}",
        ]
        return "\n  ".join(lines)
