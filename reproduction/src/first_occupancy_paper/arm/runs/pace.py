"""Progress and speed of a run."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

RECENT, PAUSE = 30.0, 10.0
"""Seconds over which rates are averaged, and length of a pause after which averaging restarts."""
BETWEEN = 0.5
"""Minimum number of seconds between two reports."""


@dataclass(frozen=True)
class RunProgress:
    """Progress and speed of a run.

    Attributes:
        phase: "pretraining" or "finetuning".
        done: steps of each run so far, in both phases together.
        total: steps of each run in total, in both phases together.
        steps_per_second: steps per second in all environments of all runs.
        updates_per_second: updates per second of each run; all runs make them together.
        seconds_left: estimated time left; infinite while the speed is unknown.
        returns: return of the last evaluation by agent, averaged over seeds.
        values: mean target of the critics by agent, for the seed with the largest: it grows if
            learning diverges.
    """

    phase: str
    done: int
    total: int
    steps_per_second: float
    updates_per_second: float
    seconds_left: float
    returns: Mapping[str, float]
    values: Mapping[str, float]


class Pace:
    """The recent number of steps per second."""

    def __init__(self) -> None:
        self._last = 0.0
        self._recent: deque[tuple[float, int]] = deque()
        """Times and steps of the last half minute."""

    def rate(self, now: float, done: int) -> float | None:
        """Return the current rate in steps per second, or None soon after the last report."""
        if now - self._last < BETWEEN:
            return None
        if now - self._last > PAUSE:
            self._recent.clear()
        self._last = now
        self._recent.append((now, done))
        while now - self._recent[0][0] > RECENT and len(self._recent) > 2:
            self._recent.popleft()
        (since, before), (until, after) = self._recent[0], self._recent[-1]
        return (after - before) / max(until - since, 1e-9)
