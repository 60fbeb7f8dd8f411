"""What was known when a plan was made: it stays readable while later plans change the arrays.

A version keeps no copy. When its arrays are about to change, it gets the old numbers of what the
change touches, and the next version; a state is looked up in one version after the other until one
has it (Baker 1978, "Shallow binding in Lisp 1.5"). Versions that nobody reads any longer disappear.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._changes.repairs import Known

MOST_STEPS = 32
"""Versions that a look-up passes before the version gets arrays of its own."""


class Numbers(NamedTuple):
    """Costs and best keys."""

    cost: Float[np.ndarray, " K"]
    best: Int[np.ndarray, " K"]


class Version:
    """The costs and keys of all states at one time.

    Args:
        known: arrays that hold them now, and may be changed once `outdate` has been called.
    """

    def __init__(self, known: Known) -> None:
        self._now = Numbers(known.cost, known.best)
        self._states, self._old = np.zeros(0, np.int32), self._now
        self._newer: Version | None = None

    def outdate(self, changed: tuple[np.ndarray, np.ndarray, np.ndarray], newer: "Version") -> None:
        """Note the states that have changed since, and their old costs and keys."""
        states, *old = changed
        order = states.argsort()
        self._states, self._newer = states[order], newer
        self._old = Numbers(*(each[order] for each in old))

    def at(self, state: int) -> tuple[float, int]:
        """Return the cost and the best key of a state."""
        version, steps = self, 0
        while version._newer is not None:
            place = int(version._states.searchsorted(state))
            if place < len(version._states) and version._states[place] == state:
                return version._old.cost.item(place), version._old.best.item(place)
            version, steps = version._newer, steps + 1
        if steps > MOST_STEPS:
            self.all()
        return version._now.cost.item(state), version._now.best.item(state)

    def all(self) -> Numbers:
        """Return the costs and keys of all states, in arrays that stay as they are."""
        later, version = [], self
        while version._newer is not None:
            later.append(version)
            version = version._newer
        numbers = Numbers(*(each.copy() for each in version._now))
        for each in reversed(later):
            for array, old in zip(numbers, each._old, strict=True):
                array[each._states] = old
        if self._newer is not None:
            self._now, self._newer = numbers, None
        return numbers
