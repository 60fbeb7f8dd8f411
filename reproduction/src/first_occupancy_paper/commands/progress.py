"""Progress of jobs and of training: a bar in a terminal, otherwise a line of text now and then."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf, isfinite

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from first_occupancy_paper.arm.runs.pace import RunProgress
from first_occupancy_paper.sweeps.jobs import Job
from first_occupancy_paper.sweeps.runner import run_jobs
from first_occupancy_paper.sweeps.store import Store
from first_occupancy_paper.sweeps.workers import Workers

JOBS_EVERY, TRAINING_EVERY = 10.0, 20.0
"""Minimum number of seconds between two lines."""


def finished_jobs(
    jobs: Sequence[Job], store: Store, workers: Workers, console: Console
) -> Iterator[Job]:
    """Run jobs, and show how many are done.

    Args:
        jobs: jobs to run.
        store: where to store their rows.
        workers: workers to run them.
        console: console to draw the bar on; the lines are for one that is no terminal.

    Yields:
        Each job once its rows are stored.
    """
    begin, total = time.monotonic(), len(jobs)
    with _shown(console, every=JOBS_EVERY, since=begin) as show:
        finished = run_jobs(jobs, store, workers, report=partial(report, console))
        for done, job in enumerate(finished, 1):
            left = (time.monotonic() - begin) / done * (total - done)
            show(done, total, job.experiment.name, f": {done} of {total} jobs, {left:.0f} s left")
            yield job


@contextmanager
def training_progress(console: Console) -> Iterator[Callable[[RunProgress], None]]:
    """Yield a function that shows the progress of a training run."""
    with _shown(console, every=TRAINING_EVERY) as show:

        def show_run(now: RunProgress) -> None:
            minutes = now.seconds_left / 60
            left = f", {minutes:.0f} min left" if isfinite(minutes) else ""
            count = f", {now.done:,} of {now.total:,} steps{left}"
            show(now.done, now.total, _description(now), count)

        yield show_run


def _description(progress: RunProgress) -> str:
    """Return a line of text with phase, returns, values and speed."""
    returns = [f"{agent} {value:.1f}" for agent, value in progress.returns.items()]
    values = [f"{agent} {value:.4g}" for agent, value in progress.values.items()]
    earned = f", return {' '.join(returns)}" if returns else ""
    earned += f", value {' '.join(values)}" if values else ""
    if progress.steps_per_second:  # otherwise there is nothing to measure yet
        earned += f", {progress.steps_per_second:,.0f} steps/s"
        earned += f", {progress.updates_per_second:,.0f} updates/s"
    return f"{progress.phase}{earned}"


@contextmanager
def _shown(
    console: Console, *, every: float, since: float = -inf
) -> Iterator[Callable[[int, int, str, str], None]]:
    """Yield a function to call with how many are done, of how many, a text, and its counts.

    In a terminal it moves a bar, which has the text and counts by itself; elsewhere it prints both
    in a line, if none was printed for `every` seconds, from `since` on, or all are done.
    """
    if console.is_terminal:
        counts = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        with Progress(TextColumn("{task.description}"), *counts, console=console) as bar:
            task = bar.add_task("starting", total=None)
            yield lambda done, total, text, _: bar.update(
                task, completed=done, total=total, description=text
            )
        return
    last = since

    def show(done: int, total: int, text: str, counts: str) -> None:
        nonlocal last
        now = time.monotonic()
        if done == total or now - last >= every:
            last = now
            print(f"{text}{counts}", file=sys.stderr, flush=True)

    yield show


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
