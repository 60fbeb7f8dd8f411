"""Tracked positions: tables of x, y and time, and DeepLabCut's export, with gaps kept as gaps.

    track = fo.read_tracking("rat.csv", part="body", scale=1 / 500, origin=(40, 540), flip_y=True)
    visits = track.cells(fo.arena(width=1.0, height=1.0, cell=0.1), outside="snap")

Positions are in metres once scale, origin, flip and rotation, or the four corners of the arena,
are given. Rows that are missing, unlikely or NaN are gaps: no move leads across one.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Num

from first_occupancy.behaviour.arenas import Arena
from first_occupancy.behaviour.calibration import Number, Point, by_corners, in_metres
from first_occupancy.behaviour.visits import Visits, visited
from first_occupancy.core.arguments import PositiveFloat, Share, check_arguments
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError, as_given

HEADER = ["scorer", "bodyparts", "coords"]
"""How the lines of a DeepLabCut header begin."""


@dataclass(frozen=True, eq=False, repr=False)
class Tracking(Displayed):
    """Positions of one animal over time.

    Attributes:
        times: seconds, increasing; frames if `timed` is False.
        positions: x and y in metres; NaN where the position is not known.
        likelihoods: how sure the tracker was, from 0 to 1.
        timed: whether times are in seconds.
        least: likelihood below which positions were made gaps.
    """

    times: Float[np.ndarray, " T"]
    positions: Float[np.ndarray, "T 2"]
    likelihoods: Float[np.ndarray, " T"]
    timed: bool = True
    least: float = 0.0

    def __post_init__(self) -> None:
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

    @property
    def unlikely(self) -> int:
        """Number of positions that were made gaps because the tracker was not sure."""
        return int((self.likelihoods < self.least).sum())

    def filtered(self, *, likelihood: float = 0.9) -> "Tracking":
        """Return the recording with unlikely positions made gaps."""
        kept = np.where((self.likelihoods >= likelihood)[:, None], self.positions, np.nan)
        return replace(self, positions=kept, least=max(likelihood, self.least))

    @check_arguments
    def cells(
        self, arena: Arena, *, outside: str = "refuse", every: PositiveFloat | None = None
    ) -> Visits:
        """Return the cells that were visited, in stretches without a gap.

        A move leads to a neighbour. Where a track crosses a corner between two rows, or several
        cells at once, it enters the cells on the line between its positions, and of those at a
        corner a free one. Where the line leads through a wall, the track is cut.

        Args:
            arena: the arena, with its cells.
            outside: what becomes of positions in walls or outside the arena: "snap" moves those
                within a cell's length to the nearest free cell and makes others gaps, "gap" makes
                all of them gaps, and "refuse" raises. A warning says how many there are.
            every: seconds per step; None for a step whenever another cell is entered.

        Raises:
            InputError: if no position is known, `outside` is something else, positions are refused,
                or `every` is given where times are not known.
        """
        if every is not None and not self.timed:
            raise InputError(
                "cells: every needs times in seconds, but the track counts frames; pass "
                "frames_per_second= to read_tracking"
            )
        return visited(self.times, self.positions, arena, outside, every, timed=self.timed)

    def _summary(self) -> str:
        known, unit = self.positions[self.known], "s" if self.timed else "frames"
        lines = [f"Tracking: {len(self.times):,} rows over {np.ptp(self.times):g} {unit}"]
        missing = len(self.times) - len(known) - self.unlikely
        lines.append(
            f"gaps: {self.unlikely:,} rows of a likelihood below {self.least:g}, "
            f"{missing:,} without a position"
        )
        if len(known):
            (left, low), (right, high) = known.min(axis=0), known.max(axis=0)
            lines.append(f"x {left:.3g} to {right:.3g}, y {low:.3g} to {high:.3g}")
        return "\n  ".join(lines)


@check_arguments
def read_tracking(
    path: str | Path,
    *,
    part: str | None = None,
    columns: Sequence[str] = ("time", "x", "y"),
    likelihood: Share = 0.9,
    frames_per_second: PositiveFloat | None = None,
    scale: PositiveFloat = 1.0,
    origin: Point = (0.0, 0.0),
    rotation: Number = 0.0,
    flip_y: bool = False,
    corners: Sequence[Point] | Num[np.ndarray, "4 2"] | None = None,
    size: Point | None = None,
) -> Tracking:
    """Return the positions in a CSV file: a table with a header, or DeepLabCut's export.

    Args:
        path: the file.
        part: body part, in an export of DeepLabCut; None if there is only one.
        columns: columns of time in seconds, x and y, in a table. A column "likelihood" is read if
            there is one.
        likelihood: positions that are less likely become gaps; 0 keeps all. The track's `repr` says
            how many there were.
        frames_per_second: frames per second of the video, where the file counts frames. Without it
            times stay frames, and steps per second are refused.
        scale: metres per unit of x and y.
        origin: position in the file, before scaling, that becomes (0, 0).
        rotation: degrees by which positions are turned counterclockwise, after the flip.
        flip_y: whether y counts downwards in the file, as in videos; `origin` then is the lower
            left corner as the video shows it.
        corners: positions in the file of the arena's corners (0, 0), (width, 0), (width, height)
            and (0, height), which replace scale, origin, rotation and flip, and correct for a
            camera that looks from the side.
        size: (width, height) of the rectangle in metres, with `corners`.

    Raises:
        InputError: if the file cannot be read, lacks a column, the part or times, or the corners
            lie on a line.
    """
    lines = _lines(path)
    if [row[0].strip().lower() for row in lines[:3]] == HEADER:
        times, pixels, sure = _of_deeplabcut(lines, part)
    else:
        times, pixels, sure = _of_table(lines, columns, frames_per_second is not None)
    timed = times is not None or frames_per_second is not None
    if times is None:  # frames
        times = np.arange(len(pixels)) / (frames_per_second or 1.0)
    if corners is None and size is None:
        positions = in_metres(pixels, scale=scale, origin=origin, rotation=rotation, flip_y=flip_y)
    elif (scale, tuple(origin), rotation, flip_y) != (1.0, (0.0, 0.0), 0.0, False):
        raise InputError(
            "read_tracking: corners must stand alone, got scale, origin, rotation or flip_y as well"
        )
    else:
        positions = by_corners(pixels, corners or (), size or (0.0, 0.0))
    return Tracking(times, positions, sure, timed).filtered(likelihood=likelihood)


_Columns = tuple[np.ndarray | None, np.ndarray, np.ndarray]
"""Times, or None where rows are frames; positions; likelihoods."""


def _of_table(lines: list[list[str]], columns: Sequence[str], framed: bool) -> _Columns:
    header = [name.strip() for name in lines[0]]
    timeless = framed and len(columns) == 3 and columns[0] not in header
    needed = columns[1:] if timeless else columns
    missing = [name for name in needed if name not in header]
    if len(columns) != 3:
        raise InputError(f"read_tracking: columns must be time, x and y, got {as_given(columns)}")
    if missing:
        hint = "; pass frames_per_second= if rows are frames" if columns[0] in missing else ""
        raise InputError(
            f"read_tracking: the file must have the columns {', '.join(columns)}, "
            f"lacks {', '.join(missing)}; it has {', '.join(header)}{hint}"
        )
    found = [_numbers(lines[1:], header.index(name)) for name in needed]
    sure = np.ones(len(lines) - 1)
    if "likelihood" in header:
        sure = _numbers(lines[1:], header.index("likelihood"))
    return None if timeless else found[0], np.stack(found[-2:], axis=1), sure


def _of_deeplabcut(lines: list[list[str]], part: str | None) -> _Columns:
    parts, coordinates = lines[1], lines[2]
    known = list(dict.fromkeys(parts[1:]))
    part = known[0] if part is None and len(known) == 1 else part
    places = {what: n for n, (name, what) in enumerate(zip(parts, coordinates, strict=True))
              if name == part}  # fmt: skip
    if set(places) != {"x", "y", "likelihood"}:
        raise InputError(f"read_tracking: part must be one of {', '.join(known)}, got {part!r}")
    x, y, sure = (_numbers(lines[3:], places[what]) for what in ("x", "y", "likelihood"))
    return None, np.stack([x, y], axis=1), sure


def _lines(path: str | Path) -> list[list[str]]:
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"read_tracking: cannot read {str(path)!r} ({error})") from None
    if len(lines) < 2:
        raise InputError(
            f"read_tracking: the file must have a header and rows, got {len(lines)} lines"
        )
    return lines


def _numbers(lines: Sequence[Sequence[str]], place: int) -> Float[np.ndarray, " T"]:
    """Return a column; what is empty or no number becomes NaN, a gap."""

    def number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            return np.nan

    return np.array([number(row[place]) if place < len(row) else np.nan for row in lines])
