"""What was known when a plan was made: it stays readable while later plans change the arrays.

A version keeps no copy. When its arrays are about to change, it gets the old numbers of what the
change touches, and the next version; a state is looked up in one version after the other until one
has it (Baker 1978, "Shallow binding in Lisp 1.5"). Versions that nobody reads any longer disappear.
"""

from typing import Any

import numpy as np

MOST_STEPS = 32
"""Versions that a look-up passes before the version gets arrays of its own."""


class Version:
    """The costs and best keys of all states at one time.

    Args:
        arrays: what holds them now, and may be changed once `outdated` has been called.
    """

    _newer: "Version | None"

    def __init__(self, *arrays: np.ndarray) -> None:
        self._now, self._old = arrays, arrays
        self._states, self._newer, self._sorted = np.zeros(0, np.int32), None, True

    def outdated(self, changed: tuple[np.ndarray, np.ndarray, np.ndarray]) -> "Version":
        """Note states that have changed, with their old numbers; return the version after that."""
        self._states, *old = changed
        self._old, self._newer, self._sorted = tuple(old), Version(*self._now), False
        return self._newer

    def at(self, state: int | None) -> Any:
        """Return the cost and the best key of a state; of all for None, in lasting arrays."""
        if state is None:
            return self._all()
        version, steps = self, 0
        while version._newer is not None:
            version._sort()
            place = int(version._states.searchsorted(state))
            if place < len(version._states) and version._states[place] == state:
                return tuple(each.item(place) for each in version._old)
            version, steps = version._newer, steps + 1
        if steps > MOST_STEPS:
            self._all()
        return tuple(each.item(state) for each in version._now)

    def _sort(self) -> None:
        """Sort the states that have changed, once one is looked up; most versions are not read."""
        if not self._sorted:
            order = self._states.argsort()
            self._states, self._old = self._states[order], tuple(old[order] for old in self._old)
            self._sorted = True

    def _all(self) -> tuple[np.ndarray, ...]:
        later, version = [], self
        while version._newer is not None:
            later.append(version)
            version = version._newer
        arrays = tuple(each.copy() for each in version._now)
        for each in reversed(later):
            for array, old in zip(arrays, each._old, strict=True):
                array[each._states] = old
        if self._newer is not None:
            self._now, self._newer = arrays, None
        return arrays
