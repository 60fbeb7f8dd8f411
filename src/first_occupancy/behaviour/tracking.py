"""Tracked positions: tables of x, y and time, and DeepLabCut's export, with gaps kept as gaps.

    tracked = read_deeplabcut("mouse.csv", body_part="nose", frames_per_second=30, scale=0.001)
    clean = tracked.filtered(likelihood=0.9)
    episodes = clean.cells(arena)            # cells of the arena, one array between any two gaps

Positions are in metres after `scale`. Rows that are missing, unlikely or NaN are gaps: no move
leads across one, so each stretch between gaps is an episode of its own.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.errors import InputError
from first_occupancy.behaviour.arenas import Arena
from first_occupancy.interop.data.logs import Log, transition_log

LONGEST_GAP = 3.0
"""A gap begins where two rows are further apart than this many times the usual time step."""


@dataclass(frozen=True, eq=False)
class Tracking:
    """Positions of one animal over time.

    Attributes:
        times: seconds, increasing.
        positions: x and y in metres; NaN where the position is not known.
        likelihoods: how sure the tracker was, from 0 to 1.
    """

    times: Float[np.ndarray, " T"]
    positions: Float[np.ndarray, "T 2"]
    likelihoods: Float[np.ndarray, " T"]

    def __post_init__(self) -> None:
        """Raise an `InputError` unless times increase."""
        steps = np.diff(self.times)
        wrong = np.flatnonzero(~(steps > 0))
        if len(wrong):
            row = int(wrong[0]) + 1
            what = "a duplicate" if steps[row - 1] == 0 else "an earlier or missing time"
            raise InputError(
                f"Tracking: times must increase, got {what} in row {row} ({len(wrong)} such rows)"
            )

    @property
    def known(self) -> Bool[np.ndarray, " T"]:
        """Whether each position is known."""
        return np.asarray(np.isfinite(self.positions).all(axis=1))

    def filtered(self, *, likelihood: float = 0.9) -> "Tracking":
        """Return the recording with unlikely positions made gaps.

        Args:
            likelihood: least likelihood of a position that is kept.
        """
        kept = np.where((self.likelihoods >= likelihood)[:, None], self.positions, np.nan)
        return replace(self, positions=kept)

    def cells(self, arena: Arena, *, events: bool = True) -> list[Int[np.ndarray, " steps"]]:
        """Return the cells that were visited, one array for each stretch without a gap.

        Args:
            arena: the arena, with its cells.
            events: whether to keep a cell only when another cell is entered; otherwise there is an
                entry per row, and the animal may stay.

        Raises:
            InputError: if a position lies outside the arena or inside an obstacle.
        """
        rows = np.flatnonzero(self.known)
        cells = arena.cells_at(self.positions[rows])
        bad = np.flatnonzero(cells < 0)
        if len(bad):
            first = rows[bad[0]]
            x, y = self.positions[first]
            raise InputError(
                f"cells: positions must lie in free parts of the arena, got ({x:.3g}, {y:.3g}) in "
                f"row {first} ({len(bad)} such rows)"
            )
        found = np.split(cells, self._breaks(rows))
        parts = [part[np.append(True, part[1:] != part[:-1])] if events else part for part in found]
        return [part for part in parts if len(part)]

    def log(self, arena: Arena, *, events: bool = True) -> Log:
        """Return the moves between cells as a log, whose episodes are the stretches without a gap.

        Args:
            arena: the arena, with its cells.
            events: whether to count a move only when another cell is entered; otherwise there is
                one per row, and the animal may stay.

        Raises:
            InputError: if a position lies outside the arena or inside an obstacle, or there is no
                move.
        """
        parts = self.cells(arena, events=events)
        numbers = [np.full(len(part) - 1, number) for number, part in enumerate(parts)]
        if not sum(map(len, numbers)):
            raise InputError("log: the recording must have a move between two gaps, got none")
        return transition_log(
            np.concatenate([part[:-1] for part in parts]),
            np.concatenate([part[1:] for part in parts]),
            episodes=np.concatenate(numbers),
            num_states=arena.num_states,
        )

    def _breaks(self, rows: Int[np.ndarray, " known"]) -> Int[np.ndarray, " gaps"]:
        """Return where stretches begin, among the rows whose positions are known."""
        usual = float(np.median(np.diff(self.times))) if len(self.times) > 1 else 1.0
        apart = np.diff(self.times[rows]) > LONGEST_GAP * usual
        return 1 + np.flatnonzero(apart | (np.diff(rows) > 1))


def read_table(
    path: str | Path,
    *,
    columns: Sequence[str] = ("time", "x", "y"),
    likelihood: str | None = "likelihood",
    scale: float = 1.0,
) -> Tracking:
    """Return the positions in a CSV file with a header.

    Args:
        path: the file.
        columns: names of the columns of time in seconds, x and y.
        likelihood: name of the column of likelihoods, if the file has one.
        scale: metres per unit of x and y.

    Raises:
        InputError: if the file cannot be read, or lacks a column.
    """
    lines = _lines("read_table", path)
    header = [name.strip() for name in lines[0]]
    missing = [name for name in columns if name not in header]
    if missing:
        raise InputError(
            f"read_table: the file must have the columns {', '.join(columns)}, "
            f"lacks {', '.join(missing)}; it has {', '.join(header)}"
        )
    time, x, y = (_numbers(lines[1:], header.index(name)) for name in columns)
    sure = np.ones(len(time))
    if likelihood is not None and likelihood in header:
        sure = _numbers(lines[1:], header.index(likelihood))
    return Tracking(time, scale * np.stack([x, y], axis=1), sure)


def read_deeplabcut(
    path: str | Path, *, body_part: str, frames_per_second: float, scale: float = 1.0
) -> Tracking:
    """Return the positions of one body part in a CSV file exported by DeepLabCut.

    Such a file has three lines of header: scorer, body parts, and x, y or likelihood.

    Args:
        path: the file.
        body_part: name of the body part.
        frames_per_second: frames per second of the video.
        scale: metres per pixel.

    Raises:
        InputError: if the file cannot be read, has another header, or lacks the body part.
    """
    lines = _lines("read_deeplabcut", path)
    heads = [row[0].strip().lower() for row in lines[:3]]
    if heads != ["scorer", "bodyparts", "coords"] or not frames_per_second > 0:
        raise InputError(
            "read_deeplabcut: the file must begin with lines for scorer, bodyparts and coords and "
            f"have a positive rate, got {', '.join(heads)} at {frames_per_second} per second"
        )
    parts, coordinates = lines[1], lines[2]
    places = {what: n for n, (part, what) in enumerate(zip(parts, coordinates, strict=True))
              if part == body_part}  # fmt: skip
    if set(places) != {"x", "y", "likelihood"}:
        known = ", ".join(dict.fromkeys(parts[1:]))
        raise InputError(f"read_deeplabcut: body_part must be one of {known}, got {body_part!r}")
    x, y, sure = (_numbers(lines[3:], places[what]) for what in ("x", "y", "likelihood"))
    frames = _numbers(lines[3:], 0)
    return Tracking(frames / frames_per_second, scale * np.stack([x, y], axis=1), sure)


def _lines(caller: str, path: str | Path) -> list[list[str]]:
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{caller}: cannot read {str(path)!r} ({error})") from None
    if len(lines) < 2:
        raise InputError(f"{caller}: the file must have a header and rows, got {len(lines)} lines")
    return lines


def _numbers(lines: Sequence[Sequence[str]], place: int) -> Float[np.ndarray, " T"]:
    """Return a column; what is empty or no number becomes NaN, a gap."""

    def number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            return np.nan

    return np.array([number(row[place]) if place < len(row) else np.nan for row in lines])
