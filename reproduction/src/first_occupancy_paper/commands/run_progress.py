"""Progress of a training run: a bar in a terminal, else lines of text; and TensorBoard."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.runs.pace import RunProgress
from first_occupancy_paper.experiments import Row

SECONDS_BETWEEN_LINES = 20.0


class Lines:
    """Reports progress in lines of text."""

    def __init__(self) -> None:
        self._last = -SECONDS_BETWEEN_LINES

    def on_progress(self, progress: RunProgress) -> None:
        """Print a line, at most every `SECONDS_BETWEEN_LINES`."""
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            minutes = progress.seconds_left / 60
            left = f", {minutes:.0f} min left" if isfinite(minutes) else ""
            count = f"{progress.done:,} of {progress.total:,} steps"
            print(f"{describe(progress)}, {count}{left}", file=sys.stderr, flush=True)


class Bar:
    """Reports progress as a bar."""

    def __init__(self, bar: Any) -> None:
        self._bar, self._task = bar, bar.add_task("starting", total=None)

    def on_progress(self, progress: RunProgress) -> None:
        """Update the bar."""
        self._bar.update(
            self._task,
            completed=progress.done,
            total=progress.total,
            description=describe(progress),
        )


class Watcher:
    """Reports progress, and optionally writes rows to TensorBoard.

    Args:
        display: reports progress.
        board: writer of TensorBoard files; None writes none.
    """

    def __init__(self, display: Lines | Bar, board: Any | None) -> None:
        self.on_progress = display.on_progress
        self._board = board

    def on_rows(self, rows: Sequence[Row]) -> None:
        """Write rows to TensorBoard: one curve per run for each float in them."""
        if self._board is None:
            return
        for row in rows:
            place = f"{row['phase']}/{row['agent']}-{row['seed']}"
            for name, value in row.items():
                if isinstance(value, float):
                    self._board.add_scalar(f"{place}/{name}", value, row["step"])


def describe(progress: RunProgress) -> str:
    """Return a line of text with phase, returns, values and speed."""
    returns = [
        f"{agent} {value:.1f}" for agent, value in progress.returns.items() if value is not None
    ]
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
def shown(folder: Path, *, tensorboard: bool) -> Iterator[Watcher]:
    """Yield a watcher that reports progress: by a bar in a terminal, else in lines of text.

    Args:
        folder: folder of the run.
        tensorboard: whether to write TensorBoard files as well, below the folder.
    """
    board = _board(folder) if tensorboard else None
    try:
        if not sys.stderr.isatty():
            yield Watcher(Lines(), board)
            return
        # Imported only here, so that the package stays optional elsewhere.
        from rich.console import Console

        from first_occupancy_paper.commands.progress import bar

        with bar(Console(stderr=True)) as progress:
            yield Watcher(Bar(progress), board)
    finally:
        if board is not None:
            board.close()


def _board(folder: Path) -> Any:
    """Return a writer of TensorBoard files, or raise if its package is missing."""
    try:
        writers = import_module("tensorboardX")
    except ImportError as error:
        raise InputError("--tensorboard needs tensorboardX: pip install tensorboardX") from error
    return writers.SummaryWriter(str(folder / "tensorboard"))
