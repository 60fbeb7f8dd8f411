"""Rules that judge rows of `logged_goals`, as `reproduction/protocols/logged_goals.md` has them."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from first_occupancy_paper.rows.row import Row, grouped, where
from first_occupancy_paper.worlds.logged_rows import read

ROLLOUTS = 20
"""Rollouts by which a pair is realised."""

SURE, ENOUGH, NEAR = 0.8, 300, 0.05
"""Statements that are judged, how many there must be, and how close to what is realised."""

COVERED, WIDE = 0.9, 0.3
"""Share of pairs that intervals must hold, and their largest median width."""

VALID, SHARE = 0.99, 0.4
"""Share of pairs in which lower bounds must hold, and their least median share of what is so."""


def covered(row: Row) -> bool:
    """Return whether the interval holds the realised share, binomial error allowed for."""
    nearest = float(np.clip(row["realised"], row["low"], row["high"]))
    return abs(row["realised"] - nearest) <= 2 * (nearest * (1 - nearest) / ROLLOUTS) ** 0.5


def holds(row: Row) -> bool:
    """Return whether the lower bound holds, up to two standard errors of what is realised."""
    return bool(row["low"] <= row["realised"] + 2 * row["error"] + 1e-9)


def verdicts(folder: Path) -> Iterator[str]:
    """Yield lines about the rows in a folder, and a verdict for each rule."""
    rows = read(folder)
    # Refused goals have none of these columns.
    success, bounds, ablations = (where(rows, name) for name in ("probability", "error", "stated"))
    for name, own in grouped(success, "world").items():
        yield _of_success(name, own)
    if success:
        yield from _judged_success(success)
    for (thickness, pushing), own in grouped(bounds, "thickness", "pushing").items():
        yield f"walls {thickness:g}, {'pushing' if pushing else 'turning'}: {_of_bounds(own)}"
    if bounds:
        met = _held(bounds, holds) >= VALID and _median_share(bounds) >= SHARE
        yield f"rule 3 {_met(met)}: {_of_bounds(bounds)}"
    for name, own in grouped(ablations, "variant").items():
        yield _of_ablation(name, own)


def _column(rows: Sequence[Row], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows], float)


def _held(rows: Sequence[Row], rule: Callable[[Row], bool]) -> float:
    return float(np.mean([rule(row) for row in rows]))


def _median_width(rows: Sequence[Row]) -> float:
    return float(np.median(_column(rows, "high") - _column(rows, "low")))


def _median_share(rows: Sequence[Row]) -> float:
    return float(np.median(_column(rows, "low") / np.maximum(_column(rows, "realised"), 1e-12)))


def _of_success(name: str, rows: Sequence[Row]) -> str:
    stated, realised = _column(rows, "probability"), _column(rows, "realised")
    return (
        f"{name}: {len(rows)} pairs, {realised.mean():.3f} arrive, {stated.mean():.3f} stated, "
        f"intervals hold {_held(rows, covered):.3f}, median width {_median_width(rows):.2f}"
    )


def _judged_success(rows: Sequence[Row]) -> Iterator[str]:
    yield _of_success("all", rows)
    sure = [row for row in rows if row["probability"] >= SURE]
    gap = np.inf
    if sure:
        gap = float(abs(_column(sure, "probability").mean() - _column(sure, "realised").mean()))
    met = len(sure) >= ENOUGH and gap <= NEAR
    yield f"rule 1 {_met(met)}: of {len(sure)} pairs stated at least {SURE}, gap {gap:.3f}"
    held, width = _held(rows, covered), _median_width(rows)
    met = len(rows) >= 1000 and held >= COVERED and width <= WIDE
    yield f"rule 2 {_met(met)}: {len(rows)} pairs, {held:.3f} covered, median width {width:.2f}"


def _of_bounds(rows: Sequence[Row]) -> str:
    low, realised = _column(rows, "low"), _column(rows, "realised")
    return (
        f"{len(rows)} pairs, lower bounds hold in {_held(rows, holds):.3f} "
        f"({np.mean(low <= realised + 1e-9):.3f} with no error allowed for), median share "
        f"{_median_share(rows):.2f}, upper ones in "
        f"{np.mean(_column(rows, 'high') >= realised - 2 * _column(rows, 'error')):.3f}"
    )


def _of_ablation(name: str, rows: Sequence[Row]) -> str:
    return (
        f"{name}: {len(rows)} goals, {_column(rows, 'stated').mean():.3f} stated, "
        f"{_column(rows, 'arrived').mean():.3f} arrive, median "
        f"{np.median(_column(rows, 'steps')):.0f} steps, {_column(rows, 'seconds').mean():.2f} s"
    )


def _met(met: bool) -> str:
    return "met" if met else "NOT MET"
