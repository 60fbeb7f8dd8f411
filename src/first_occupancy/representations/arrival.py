"""When one arrives from one start: the whole distribution of the time of first arrival.

Probability is carried forward in time from the start, one unit after the other. The unit is a step
or, where moves have durations, the largest common part of these. Durations without one are rounded,
by at most the part `rounding` of themselves: so are times of arrival, which are their sums.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.arguments import Limits, NonNegativeInt, check_arguments
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError, as_given
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.representations._solvers.lattices import Lattice

OpenShare = Annotated[float, Limits(above=0, below=1)]

CERTAIN = 1e-6
"""Probabilities of not arriving below this are not told."""

ROUNDED = 1e-14
"""Relative distance from a share of arrivals, or from a unit of time, that is rounding."""

FAR, SMALL, MOST_DOUBLINGS = 2**13, 500, 60
"""Times after which the chain is squared rather than followed, the states up to which it is, and
how often at most."""

MOST_TIMES, MOST_MOVES = 2**24, 2**32
"""Times, and moves to carry probability along, after which a tail is not followed any further."""


class Forward:
    """Probability that is carried forward in time from a start, as far as it was asked for.

    Each state moves by its row of the chain in `rows`, -1 if it does not move; where that changes
    with time, there are several, the first for time 0, the last for its time and all later ones.
    """

    def __init__(
        self,
        chain: csr_array,
        lattice: Lattice,
        rows: Int[np.ndarray, "T S"],
        targets: Int[np.ndarray, " K"],
        start: int,
    ) -> None:
        length, size = int(lattice.delays.max(initial=1)) + 1, chain.shape[1]
        check_fits_on_host("arrival", 8 * length * size, instead="durations that differ less")
        self.lattice, self._start, self._chain, self._targets = lattice, start, chain, targets
        self._ring, is_target = np.zeros((length, size)), np.zeros(size, bool)
        self._ring[0, start] = is_target[targets] = 1
        self._moves = chain.indptr, chain.indices, chain.data, lattice.delays, rows, is_target
        # A chain that can be squared has moves of one unit, always the same ones.
        self.is_small = chain.shape == (size, size) and size <= SMALL and length == 2
        self.arrived = np.zeros(0)

    def until(self, count: int) -> Float[np.ndarray, " T"]:
        """Return the probability of arriving at each of the first times."""
        from first_occupancy.representations._solvers.clocked import carried

        begin = len(self.arrived)
        if count > begin:
            further = np.zeros(count - begin)
            carried(*self._moves, self._ring, begin, further)
            self.arrived = np.append(self.arrived, further)
        return self.arrived[:count]

    def far(self, wanted: float) -> int:
        """Return the time by which so much has arrived, by powers of the chain: 1, 2, 4, 8, ..."""
        chain, now = self._chain.toarray(), np.zeros(self._chain.shape[1])
        chain[self._targets] = np.eye(len(now))[self._targets]
        now[self._start], time, powers = 1, 0, [chain]
        while (now @ powers[-1])[self._targets].sum() < wanted and len(powers) < MOST_DOUBLINGS:
            powers.append(powers[-1] @ powers[-1])
        for doublings in reversed(range(len(powers))):
            later = now @ powers[doublings]
            if later[self._targets].sum() < wanted:
                now, time = later, time + 2**doublings
        return time + 1

    @property
    def is_long(self) -> bool:
        """Whether so many times were asked for that none further should be."""
        return len(self.arrived) >= min(MOST_TIMES, MOST_MOVES / max(self._chain.nnz, 1))


@dataclass(eq=False, repr=False)
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

    probability: float
    mean: float
    std: float
    _start: str
    _begun: Callable[[], Forward]
    _in_steps: bool

    @cached_property
    def _forward(self) -> Forward:
        return self._begun()

    @property
    def unit(self) -> float:
        """What times are multiples of: 1 for steps."""
        return self._forward.lattice.unit

    @property
    def rounding(self) -> float:
        """The largest relative error of the times of the distribution."""
        return self._forward.lattice.rounding

    @check_arguments
    def distribution(self, count: NonNegativeInt) -> Float[np.ndarray, " T"]:
        """Return the probability of arriving at each of the first times, 0, `unit`, 2 `unit`, ...

        Args:
            count: number of times.
        """
        return self._forward.until(count).copy()

    def by(self, time: Any) -> Any:
        """Return the probability of having arrived by a time, or by each of several."""
        units = in_units("by: time", time, self.unit)
        sums = np.append(0.0, np.cumsum(self._forward.until(int(units.max(initial=-1)) + 1)))
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
        forward, count = self._forward, 256
        wanted = share * self.probability * (1 - ROUNDED)
        while True:
            sums = np.cumsum(forward.until(count))
            reached = np.flatnonzero(sums >= wanted)
            if len(reached):
                return float(reached[0] * self.unit)
            if count >= FAR and forward.is_small:
                return forward.far(wanted) * self.unit
            if forward.is_long:
                raise InputError(
                    f"quantile: share must be below {sums[-1] / self.probability:.6g}, which has "
                    f"arrived after {count * self.unit:g}, got {share}"
                )
            count *= 2

    def _summary(self) -> str:
        if self.probability == 0:
            return f"Arrival from {self._start}: never arrives"
        surely = "arrives for certain"
        if self.probability < 1 - CERTAIN:
            surely = f"arrives with probability {self.probability:.3g}"
        spread = f" ± {self.std:,.3g}" if self.std > 0 else ""
        steps = " steps" if self._in_steps else ""
        return f"Arrival from {self._start}: {surely}, after {self.mean:,.4g}{spread}{steps}"


def in_units(argument: str, time: Any, unit: float) -> Int[np.ndarray, "..."]:
    """Return how many whole units fit into times, -1 into negative ones."""
    try:
        times = np.asarray(time).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError, OverflowError):
        times = np.array(np.nan)
    if not (np.isfinite(times) & (times <= MOST_TIMES * unit)).all():
        raise InputError(
            f"{argument} must be a finite number up to {MOST_TIMES * unit:g}, got {as_given(time)}"
        )
    units = np.floor(times / unit * (1 + ROUNDED) + ROUNDED)
    return np.asarray(np.maximum(units, -1), np.int64)
