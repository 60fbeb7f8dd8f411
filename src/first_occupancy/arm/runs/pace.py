"""How far a run is, and how fast."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

RECENT, PAUSE = 30.0, 10.0
"""Seconds over which rates are taken, and those that a step takes only if it is compiled first."""
BETWEEN = 0.5
"""Seconds between two looks."""


@dataclass(frozen=True)
class RunProgress:
    """How far a run is, and how fast."""

    phase: str
    done: int
    total: int
    """Steps of each run, of both phases together."""
    steps_per_second: float
    """Of all environments of all runs."""
    updates_per_second: float
    """Steps of learning of each run; all runs take them at once."""
    seconds_left: float
    returns: Mapping[str, float | None]
    """Of the last evaluation, by agent, on average over seeds."""
    values: Mapping[str, float]
    """What critics were last aimed at, by agent, of the seed where that is most: what grows if
    learning does not settle."""


class Pace:
    """How many steps were taken a second of late."""

    def __init__(self) -> None:
        self._last = 0.0
        self._recent: deque[tuple[float, int]] = deque()
        """When which step was reached, for the last half minute."""

    def begin_anew(self) -> None:
        """Forget what was, as when another phase begins."""
        self._recent.clear()

    def is_due(self, now: float) -> bool:
        """Return whether the last look was long enough ago."""
        return now - self._last >= BETWEEN

    def look(self, now: float, done: int) -> float:
        """Return the present rate, once so many steps are done."""
        if now - self._last > PAUSE:
            self._recent.clear()
        self._last = now
        self._recent.append((now, done))
        while now - self._recent[0][0] > RECENT and len(self._recent) > 2:
            self._recent.popleft()
        (since, before), (until, after) = self._recent[0], self._recent[-1]
        return (after - before) / max(until - since, 1e-9)
