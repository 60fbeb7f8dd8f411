"""How far a run is, and how fast."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

RECENT, PAUSE = 30.0, 10.0
"""Seconds over which rates are averaged, and a pause after which averaging starts over."""
BETWEEN = 0.5
"""Seconds between two reports."""


@dataclass(frozen=True)
class RunProgress:
    """How far a run is, and how fast."""

    phase: str
    done: int
    total: int
    """Steps of each run, in both phases together."""
    steps_per_second: float
    """In all environments of all runs."""
    updates_per_second: float
    """Updates of each run; all runs make them at once."""
    seconds_left: float
    returns: Mapping[str, float | None]
    """Return of the last evaluation by agent, averaged over seeds."""
    values: Mapping[str, float]
    """Mean target of the critics by agent, for the seed with the largest: it grows if learning
    diverges."""


class Pace:
    """The recent number of steps per second."""

    def __init__(self) -> None:
        self._last = 0.0
        self._recent: deque[tuple[float, int]] = deque()
        """Times and steps of the last half minute."""

    def begin_anew(self) -> None:
        """Forget the past, as when another phase begins."""
        self._recent.clear()

    def is_due(self, now: float) -> bool:
        """Return whether the last report was long enough ago."""
        return now - self._last >= BETWEEN

    def look(self, now: float, done: int) -> float:
        """Return the current rate in steps per second.

        Args:
            now: current time in seconds.
            done: steps done so far.
        """
        if now - self._last > PAUSE:
            self._recent.clear()
        self._last = now
        self._recent.append((now, done))
        while now - self._recent[0][0] > RECENT and len(self._recent) > 2:
            self._recent.popleft()
        (since, before), (until, after) = self._recent[0], self._recent[-1]
        return (after - before) / max(until - since, 1e-9)
