"""Cells that a track visited: from positions to moves between neighbours, and what was left out."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.behaviour.arenas import Arena
from first_occupancy.behaviour.subjects import Subjects, Trial, grid_layouts, subjects_from_paths
from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, as_given, check_index, warn
from first_occupancy.interop.data.logs import Log, transition_log

LONGEST_GAP = 3.0
"""A gap begins where two rows are further apart than this many times the usual time step."""

OUTSIDE = ("snap", "gap", "refuse")
"""What may become of positions in walls or outside the arena."""


class OutsideWarning(UserWarning):
    """A track with positions in walls or outside the arena."""


@dataclass(frozen=True, eq=False, repr=False)
class Visits(Displayed):
    """The cells that an animal visited, in stretches without a gap.

    Attributes:
        arena: the arena.
        paths: cells of each stretch, in order.
        times: time spent in each cell, in seconds; in frames if `timed` is False.
        every: seconds per step; None if a step is a move into another cell.
        timed: whether times are in seconds.
        snapped: positions that were moved to the nearest free cell.
        lost: positions in walls or outside that became gaps.
        crossed: moves over a corner or several cells, which now lead through those between.
        cut: moves whose line led through a wall, where the track was cut.
    """

    arena: Arena
    paths: list[Int[np.ndarray, " _"]]
    times: Float[np.ndarray, " S"]
    every: float | None
    timed: bool
    snapped: int
    lost: int
    crossed: int
    cut: int

    @property
    def step(self) -> str:
        """What a step is, for labels: "move", or a time."""
        return "move" if self.every is None else f"{self.every:g} s"

    def log(self) -> Log:
        """Return the steps as a log, whose episodes are the stretches without a gap.

        Raises:
            InputError: if there is no step.
        """
        numbers = [np.full(len(path) - 1, number) for number, path in enumerate(self.paths)]
        if not sum(map(len, numbers)):
            raise InputError("log: the recording must have a move between two gaps, got none")
        return transition_log(
            np.concatenate([path[:-1] for path in self.paths]),
            np.concatenate([path[1:] for path in self.paths]),
            episodes=np.concatenate(numbers),
            num_states=self.arena.num_states,
            step=self.step,
        )

    @check_arguments
    def subjects(self, *, goal: int, name: str = "animal") -> Subjects:
        """Return the moves as the choices of one subject, for `behaviour.compare`.

        Each visit to the goal ends a trial, and each gap does. A trial begins with the first cell
        after that, so moves out of the goal are left out.

        Args:
            goal: cell that the animal looks for.
            name: name of the subject.

        Raises:
            InputError: if the goal is no free cell, or steps are times rather than moves.
        """
        check_index("subjects", "goal", goal, self.arena.num_states)
        if self.every is not None:
            raise InputError("subjects: steps must be moves, got cells(every=...)")
        if not self.arena.free.reshape(-1)[goal]:
            raise InputError(f"subjects: goal must be a free cell, but {goal} is a wall")
        trials = []
        for path in self.paths:
            parts = np.split(path, 1 + np.flatnonzero(path == goal))
            trials += [Trial(0, part) for part in parts if len(part)]
        layouts = grid_layouts(self.arena.free[None], goal=goal)
        return subjects_from_paths(layouts, {name: trials}, ends_at_goal=True)

    def _summary(self) -> str:
        steps = sum(len(path) - 1 for path in self.paths)
        unit = "s" if self.timed else "frames"
        what = count(steps, "move") if self.every is None else f"{steps:,} steps of {self.step}"
        return "\n  ".join(
            [
                f"Visits: {what} in {self.times.sum():g} {unit}, with "
                f"{len(self.paths) - 1:,} gaps or cuts",
                f"{int((self.times > 0).sum()):,} of "
                f"{count(int(self.arena.free.sum()), 'free cell')} visited",
                f"outside free cells: {self.snapped:,} positions snapped, {self.lost:,} made gaps",
                f"moves over corners or several cells: {self.crossed:,} led through those between, "
                f"{self.cut:,} cut at walls",
            ]
        )


def visited(
    times: Float[np.ndarray, " T"],
    positions: Float[np.ndarray, "T 2"],
    arena: Arena,
    outside: str,
    every: float | None,
    *,
    timed: bool,
) -> Visits:
    """Return the visits of a track (`Tracking.cells`)."""
    if outside not in OUTSIDE:
        raise InputError(
            f"cells: outside must be one of {', '.join(OUTSIDE)}, got {as_given(outside)}"
        )
    rows = np.flatnonzero(np.isfinite(positions).all(axis=1))
    if not len(rows):
        raise InputError("cells: the track must have a known position, got none")
    cells, spots, wrong = _placed(arena, positions[rows], rows, outside)
    kept = cells >= 0
    rows, cells, spots = rows[kept], cells[kept], spots[kept]
    if not len(rows):
        raise InputError("cells: the track must be in free cells somewhere, but never is")
    usual = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
    apart = np.diff(times[rows]) > LONGEST_GAP * usual
    starts = 1 + np.flatnonzero(apart | (np.diff(rows) > 1))
    spent = usual * np.bincount(cells, minlength=arena.num_states)
    paths, crossed, cut = [], 0, 0
    for part in np.split(np.arange(len(rows)), starts):
        if every is not None:
            paths.append(cells[part[_sampled(times[rows[part]], every)]])
            continue
        found, more, broken = _moves(arena, cells[part], spots[part])
        paths, crossed, cut = paths + found, crossed + more, cut + broken
    lost = int((~kept).sum())
    counts = (int(wrong.sum()) - lost, lost, crossed, cut)
    return Visits(arena, paths, spent, every, timed, *counts)


def _placed(
    arena: Arena, positions: np.ndarray, rows: np.ndarray, outside: str
) -> tuple[Int[np.ndarray, " T"], Float[np.ndarray, "T 2"], Bool[np.ndarray, " T"]]:
    """Return the cell of each position, -1 for gaps, the point in it, and which were outside."""
    cells, spots = arena.cells_at(positions), positions.copy()
    wrong = cells < 0
    if not wrong.any():
        return cells, spots, wrong
    first = int(wrong.argmax())
    x, y = positions[first]
    where = f"({x:.3g}, {y:.3g}) in row {rows[first]}"
    if outside == "refuse":
        raise InputError(
            "cells: positions must lie in free parts of the arena, got "
            f'{where} ({wrong.sum():,} such rows); pass outside="snap" or outside="gap"'
        )
    near = np.zeros(0, int)
    if outside == "snap":
        away = np.flatnonzero(wrong)
        found, points = arena.nearest_free(positions[away])
        close = np.linalg.norm(points - positions[away], axis=1) <= arena.cell
        near = away[close]
        cells[near], spots[near] = found[close], points[close]
    gone = int(wrong.sum()) - len(near)
    warn(
        f"cells: {wrong.sum():,} of {len(rows):,} known positions are in walls or outside, first "
        f"{where}: {len(near):,} were snapped to the nearest free cell, {gone:,} became gaps",
        OutsideWarning,
    )
    return cells, spots, wrong


def _sampled(times: Float[np.ndarray, " T"], every: float) -> Int[np.ndarray, " steps"]:
    """Return the last row at or before each multiple of a time after the first row."""
    ticks = np.arange(0, times[-1] - times[0] + 1e-9 * every, every)
    return np.searchsorted(times - times[0], ticks + 1e-9 * every, side="right") - 1


def _moves(
    arena: Arena, cells: Int[np.ndarray, " T"], spots: Float[np.ndarray, "T 2"]
) -> tuple[list[Int[np.ndarray, " _"]], int, int]:
    """Return the path, cut where a wall is in the way; how many moves were filled, and cut."""
    entered = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
    row, column = np.divmod(cells[entered], arena.free.shape[1])
    far = np.abs(np.diff(row)) + np.abs(np.diff(column)) > 1
    paths, crossed = [[int(cells[0])]], 0
    for here, skips in zip(entered[1:], far, strict=True):
        if skips:
            between = _between(arena, spots[here - 1], spots[here])
            if between is None:
                paths.append([])
            else:
                paths[-1] += between
                crossed += 1
        paths[-1].append(int(cells[here]))
    return [np.array(path) for path in paths], crossed, len(paths) - 1


def _between(
    arena: Arena, begin: Float[np.ndarray, " 2"], end: Float[np.ndarray, " 2"]
) -> list[int] | None:
    """Return the cells on the line from one position to another; None if one is a wall."""
    here, there = (np.floor(spot / arena.cell).astype(int) for spot in (begin, end))
    steps = []  # when the line crosses into the next column (axis 0) or row
    for axis in (0, 1):
        way = 1 if there[axis] > here[axis] else -1
        lines = np.arange(here[axis], there[axis], way) + (way > 0)
        shares = (lines * arena.cell - begin[axis]) / (end[axis] - begin[axis] or 1.0)
        steps += [(share, axis, way) for share in shares]
    orders = [sorted(steps)]
    if len(steps) == 2:
        orders.append(orders[0][::-1])  # at a corner, the other cell
    for order in orders:
        at, cells = here.copy(), []
        for _, axis, way in order[:-1]:
            at[axis] += way
            cells.append((int(at[1]), int(at[0])))
        if all(arena.free[cell] for cell in cells):
            return [row * arena.free.shape[1] + column for row, column in cells]
    return None
