"""Progress of a training run: a bar in a terminal, else lines of text."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite

from first_occupancy_paper.arm.runs.pace import RunProgress

SECONDS_BETWEEN_LINES = 20.0


def lines() -> Callable[[RunProgress], None]:
    """Return a function that prints a line, at most every `SECONDS_BETWEEN_LINES`."""
    last = -SECONDS_BETWEEN_LINES

    def show(progress: RunProgress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            minutes = progress.seconds_left / 60
            left = f", {minutes:.0f} min left" if isfinite(minutes) else ""
            count = f"{progress.done:,} of {progress.total:,} steps"
            print(f"{describe(progress)}, {count}{left}", file=sys.stderr, flush=True)

    return show


def describe(progress: RunProgress) -> str:
    """Return a line of text with phase, returns, values and speed."""
    returns = [f"{agent} {value:.1f}" for agent, value in progress.returns.items()]
    values = [f"{agent} {value:.4g}" for agent, value in progress.values.items()]
    earned = f", return {' '.join(returns)}" if returns else ""
    earned += f", value {' '.join(values)}" if values else ""
    if not progress.steps_per_second:  # nothing to measure yet
        return f"{progress.phase}{earned}"
    return (
        f"{progress.phase}{earned}, {progress.steps_per_second:,.0f} steps/s, "
        f"{progress.updates_per_second:,.0f} updates/s"
    )


@contextmanager
def shown() -> Iterator[Callable[[RunProgress], None]]:
    """Yield a function that shows progress: by a bar in a terminal, else in lines of text."""
    if not sys.stderr.isatty():
        yield lines()
        return
    # Imported only here, so that the package stays optional elsewhere.
    from rich.console import Console

    from .progress import bar

    with bar(Console(stderr=True)) as drawn:
        task = drawn.add_task("starting", total=None)
        yield lambda progress: drawn.update(
            task, completed=progress.done, total=progress.total, description=describe(progress)
        )
