"""A progress bar for searches whose end is not known: states found, and states still to expand."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int], None]
"""A function that is told the number of states found and of those still to be expanded."""


@contextmanager
def progress_bar(shown: bool | None, limit: int) -> Iterator[Report]:
    """Show a progress bar on standard error while the body runs.

    Yields:
        The function to report to.
    """
    if not (sys.stderr.isatty() if shown is None else shown):
        yield lambda found, waiting: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.completed:,} states expanded"),
        BarColumn(),
        TextColumn("{task.total:,} found (limit {task.fields[limit]:,})"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=1, limit=limit)

        def report(found: int, waiting: int) -> None:
            progress.update(task, completed=found - waiting, total=found)

        yield report
