"""Progress of many jobs: a bar with the time left, or now and then a line where there is none."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_EVERY = 10.0
"""Seconds between two lines, where no bar can be drawn."""


def bar(console: Console) -> Progress:
    """Return a bar to be drawn on the console: what is done, of how much, and the time left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def report(console: Console, text: str) -> None:
    """Print a line above the bar as it is: brackets in it, as in a path, are no markup."""
    console.print(text, highlight=False, markup=False)


def failed(command: str, failure: Exception) -> int:
    """Say where a job broke and in one line which; return the exit code."""
    print("".join(getattr(failure, "__notes__", ())), end="", file=sys.stderr)
    print(f"first-occupancy {command}: {failure}", file=sys.stderr)
    return 1


@contextmanager
def job_progress(console: Console, total: int) -> Iterator[Callable[[str], None]]:
    """Yield a function to call after each job with what to show beside the bar."""
    with bar(console) as progress:
        task = progress.add_task("starting", total=total)
        yield lambda text: progress.update(task, advance=1, description=text)


@contextmanager
def job_lines(total: int) -> Iterator[Callable[[str], None]]:
    """Yield a function to call after each job, which prints how many are done, not too often."""
    begin = last = time.monotonic()
    done = 0

    def advance(text: str) -> None:
        nonlocal done, last
        done += 1
        now = time.monotonic()
        if done == total or now - last >= LINE_EVERY:
            last = now
            left = (now - begin) / done * (total - done)
            print(f"{text}: {done} of {total} jobs, {left:.0f} s left", file=sys.stderr)

    yield advance
