"""When one arrives from one start: the whole distribution of the time of first arrival.

Probability is carried forward in time from the start, one unit after the other, so probabilities
are sums of non-negative terms. The unit is a step or, where moves have durations, the largest
common part of these. Durations without one are rounded, by at most the part `rounding` of
themselves: so are times of arrival, which are their sums.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.arguments import Limits, NonNegativeInt, check_arguments
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError, as_given
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.representations._solvers.lattices import Lattice

OpenShare = Annotated[float, Limits(above=0, below=1)]

CERTAIN = 1e-6
"""Probabilities of not arriving below this are not told."""

FAR = 2**13
"""Times after which the chain is squared rather than followed, where it is small."""

SMALL = 500
"""States up to which it is."""

MOST_DOUBLINGS = 60
"""Squares of the chain at most."""

MOST_TIMES, MOST_MOVES = 2**24, 2**32
"""Times, and moves to carry probability along, after which a tail is not followed any further."""


class Clocked(NamedTuple):
    """Moves in units of time, by which probability is carried forward.

    Attributes:
        starts: where the moves of each row begin, and the end of the last.
        ends: state that each move leads to.
        chances: its probability.
        lattice: durations.
        rows: the row that each state moves by, -1 if it does not move; several if that changes
            with time: the first moves at time 0, the last from its time on.
        is_target: where to arrive.
    """

    starts: Int[np.ndarray, " R1"]
    ends: Int[np.ndarray, " E"]
    chances: Float[np.ndarray, " E"]
    lattice: Lattice
    rows: Int[np.ndarray, "T S"]
    is_target: Bool[np.ndarray, " S"]


class _Forward:
    """The probability of arriving at each time, as far as it was asked for."""

    def __init__(self, moves: Clocked, start: int) -> None:
        length, size = int(moves.lattice.delays.max(initial=1)) + 1, len(moves.is_target)
        check_fits_on_host("arrival", 8 * length * size, instead="durations that differ less")
        self.moves, self._start, self._ring = moves, start, np.zeros((length, size))
        self._ring[0, start] = 1
        self.arrived = np.zeros(0)

    def until(self, count: int) -> Float[np.ndarray, " T"]:
        """Return the probability of arriving at each of the first times."""
        from first_occupancy.representations._solvers.clocked import carried

        begin = len(self.arrived)
        if count > begin:
            further, moves = np.zeros(count - begin), self.moves
            known = moves.starts, moves.ends, moves.chances, moves.lattice.delays, moves.rows
            carried(*known, moves.is_target, self._ring, begin, further)
            self.arrived = np.append(self.arrived, further)
        return self.arrived[:count]

    @property
    def is_small(self) -> bool:
        """Whether the chain can be squared: few states, moves of one unit, always the same ones."""
        moves = self.moves
        few = len(moves.starts) <= SMALL and len(moves.rows) == 1
        return few and int(moves.lattice.delays.max(initial=1)) == 1

    def far(self, wanted: float) -> int:
        """Return the time by which so much has arrived, by powers of the chain: 1, 2, 4, 8, ..."""
        powers = [_absorbing(self.moves)]
        now, time = (np.arange(len(powers[0])) == self._place).astype(float), 0
        while (now @ powers[-1])[-1] < wanted and len(powers) < MOST_DOUBLINGS:
            powers.append(powers[-1] @ powers[-1])
        for doublings in reversed(range(len(powers))):
            later = now @ powers[doublings]
            if later[-1] < wanted:
                now, time = later, time + 2**doublings
        return time + 1

    @property
    def _place(self) -> int:
        return int(self.moves.rows[0, self._start])


def _absorbing(moves: Clocked) -> Float[np.ndarray, "R1 R1"]:
    """Return the chain of the states that arrive, and all targets as one last state."""
    rows = np.repeat(np.arange(len(moves.starts) - 1), np.diff(moves.starts))
    number = np.where(moves.is_target, len(moves.starts) - 1, moves.rows[0])
    ahead = number[moves.ends]
    chain = np.zeros((len(moves.starts), len(moves.starts)))
    np.add.at(chain, (rows[ahead >= 0], ahead[ahead >= 0]), moves.chances[ahead >= 0])
    chain[-1, -1] = 1
    return chain


class Arrival(Displayed):
    """How surely, and when, one arrives from one start.

    >>> import first_occupancy as fo
    >>> fo.hitting([[0.5, 0.5], [0, 1]], targets=1).arrival(0)
    Arrival from 0: arrives for certain, after 2 ± 1.41 steps

    Attributes:
        probability: the probability of ever arriving.
        mean: expected time, given arrival; infinite if there is none.
        std: standard deviation of the time, given arrival; NaN if there is none.
        unit: what times are multiples of.
        rounding: relative error of the times of the distribution; 0 where it is exact. Mean and
            standard deviation are not rounded.
    """

    def __init__(
        self,
        start: str,
        probability: float,
        mean: float,
        std: float,
        moves: Callable[[], tuple[Clocked, int]],
        *,
        in_steps: bool,
    ) -> None:
        self.probability, self.mean, self.std = float(probability), float(mean), float(std)
        self._start, self._moves, self._in_steps = start, moves, in_steps
        self._known: tuple[Lattice, _Forward] | None = None

    @property
    def unit(self) -> float:
        """What times are multiples of: 1 for steps."""
        return self._forward[0].unit

    @property
    def rounding(self) -> float:
        """The largest relative error of the times of the distribution."""
        return self._forward[0].rounding

    @check_arguments
    def distribution(self, count: NonNegativeInt) -> Float[np.ndarray, " T"]:
        """Return the probability of arriving at each of the first times, 0, `unit`, 2 `unit`, ...

        Args:
            count: number of times.
        """
        return self._forward[1].until(count).copy()

    def by(self, time: Any) -> Any:
        """Return the probability of having arrived by a time, or by each of several."""
        units = in_units("by", time, self.unit)
        sums = np.append(0.0, np.cumsum(self._forward[1].until(int(units.max(initial=-1)) + 1)))
        found = np.minimum(sums[units + 1], self.probability)
        return found if np.ndim(time) else float(found)

    @check_arguments
    def quantile(self, share: OpenShare) -> float:
        """Return the time by which a share of all arrivals has happened; infinite without any.

        Args:
            share: between 0 and 1.
        """
        if self.probability == 0:
            return np.inf
        lattice, forward = self._forward
        wanted, count = share * self.probability * (1 - ROUNDED), 256
        while True:
            sums = np.cumsum(forward.until(count))
            reached = np.flatnonzero(sums >= wanted)
            if len(reached):
                return float(reached[0] * lattice.unit)
            if count >= FAR and forward.is_small:
                return forward.far(wanted) * lattice.unit
            if count >= MOST_TIMES or count * len(forward.moves.ends) > MOST_MOVES:
                raise InputError(
                    f"quantile: share must be below {sums[-1] / self.probability:.6g}, which has "
                    f"arrived after {count * lattice.unit:g}, got {share}"
                )
            count *= 2

    @property
    def _forward(self) -> tuple[Lattice, _Forward]:
        if self._known is None:
            moves, start = self._moves()
            self._known = moves.lattice, _Forward(moves, start)
        return self._known

    def _summary(self) -> str:
        steps = " steps" if self._in_steps else ""
        return f"Arrival from {self._start}: {in_words(self.probability, self.mean, self.std)}" + (
            steps if self.probability > 0 else ""
        )


def certain_arrival(start: str, time: float, *, in_steps: bool) -> Arrival:
    """Return the arrival at a known time; never, if it is infinite.

    Args:
        start: what to call the start.
    """
    units = round(time) if in_steps and np.isfinite(time) else 1
    unit = time if 0 < time < np.inf and not in_steps else 1.0
    delays = Lattice(unit, np.array([units]), 0.0)
    one, ends, targets = np.array([0, 1]), np.array([1]), np.array([False, time < np.inf])
    rows = np.array([[0 if time > 0 else -1, -1]])
    moves = Clocked(one, ends, np.ones(1), delays, rows, targets)
    begin = int(time == 0)
    numbers = float(time < np.inf), time, 0.0 if time < np.inf else np.nan
    return Arrival(start, *numbers, lambda: (moves, begin), in_steps=in_steps)


def arrival_by(units: int, words: str, moves: Clocked, start: int, *, in_steps: bool) -> Arrival:
    """Return the arrival up to some time, after which nothing moves.

    Args:
        words: what to call the start.
    """
    shares = _Forward(moves, start).until(units + 1)
    total, times = shares.sum(), np.arange(units + 1) * moves.lattice.unit
    mean, std = np.inf, np.nan
    if total > 0:
        mean = float(shares @ times / total)
        std = float(np.sqrt(shares @ (times - mean) ** 2 / total))
    return Arrival(words, total, mean, std, lambda: (moves, start), in_steps=in_steps)


ROUNDED = 1e-14
"""Relative distance from a share of arrivals that is rounding."""


def in_words(probability: float, mean: float, std: float) -> str:
    """Return how surely and how soon one arrives."""
    if probability == 0:
        return "never arrives"
    surely = "arrives for certain"
    if probability < 1 - CERTAIN:
        surely = f"arrives with probability {probability:.3g}"
    return f"{surely}, after {mean:,.4g}" + (f" ± {std:,.3g}" if std > 0 else "")


def in_units(caller: str, time: Any, unit: float) -> Int[np.ndarray, "..."]:
    """Return how many whole units fit into times, -1 into negative ones.

    Raises:
        InputError: if some is not a finite number, or too large to count up to.
    """
    try:
        times = np.asarray(time).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError, OverflowError):
        times = np.array(np.nan)
    if not (np.isfinite(times) & (times <= MOST_TIMES * unit)).all():
        raise InputError(
            f"{caller}: time must be a finite number up to {MOST_TIMES * unit:g}, "
            f"got {as_given(time)}"
        )
    units = np.floor(times / unit * (1 + ROUNDED) + ROUNDED)
    return np.asarray(np.maximum(units, -1), np.int64)
