"""Progress of many jobs: a bar with the time left, or occasional lines if there is no terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_EVERY = 10.0
"""Minimum number of seconds between two lines."""


def bar(console: Console) -> Progress:
    """Return a progress bar for the console, with counts and the time left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def report(console: Console, text: str) -> None:
    """Print a line above the bar.

    Args:
        console: console that shows the bar.
        text: the line, printed as it is: brackets, as in a path, are not taken for markup.
    """
    # Not broken into lines, which programs that read them would have to join.
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def failed(command: str, failure: Exception) -> int:
    """Print the traceback of a failed job, if there is one, and a line that names the job.

    Args:
        command: subcommand that ran the job.
        failure: the error, with the job's traceback in its notes.

    Returns:
        The exit code, 1.
    """
    print("".join(getattr(failure, "__notes__", ())), end="", file=sys.stderr)
    print(f"first-occupancy {command}: {failure}", file=sys.stderr)
    return 1


@contextmanager
def job_progress(console: Console, total: int) -> Iterator[Callable[[str], None]]:
    """Yield a function to call after each job: it moves a bar, or now and then prints a line.

    Args:
        console: console to draw the bar on; the lines are for one that is no terminal.
        total: number of jobs.
    """
    if not console.is_terminal:
        yield _job_lines(total)
        return
    with bar(console) as progress:
        task = progress.add_task("starting", total=total)
        yield lambda text: progress.update(task, advance=1, description=text)


def _job_lines(total: int) -> Callable[[str], None]:
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

    return advance
