"""Rules that judge rows of `logged_goals`, as `reproduction/protocols/logged_goals.md` has them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]

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
    success, bounds, ablations = (read(folder, kind) for kind in ("success", "bounds", "ablation"))
    for name in dict.fromkeys(row["world"] for row in success):
        yield _of_success(name, [row for row in success if row["world"] == name])
    if success:
        yield from _judged_success(success)
    for kind in dict.fromkeys((row["thickness"], row["pushing"]) for row in bounds):
        rows = [row for row in bounds if (row["thickness"], row["pushing"]) == kind]
        yield f"walls {kind[0]:g}, {'pushing' if kind[1] else 'turning'}: " + _of_bounds(rows)
    if bounds:
        yield from _judged_bounds(bounds)
    for name in dict.fromkeys(row["variant"] for row in ablations):
        yield _of_ablation(name, [row for row in ablations if row["variant"] == name])


def read(folder: Path, kind: str) -> list[Row]:
    """Return the rows of a kind, without those that were refused."""
    rows = []
    for path in sorted(folder.glob(f"{kind}-*.jsonl")):
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        rows += [row for row in found if "finished_in" not in row]
    return [row for row in rows if not row.get("refused")]


def _column(rows: Sequence[Row], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows], float)


def _of_success(name: str, rows: Sequence[Row]) -> str:
    stated, realised = _column(rows, "probability"), _column(rows, "realised")
    width = np.median(_column(rows, "high") - _column(rows, "low"))
    return (
        f"{name}: {len(rows)} pairs, {realised.mean():.3f} arrive, {stated.mean():.3f} stated, "
        f"intervals hold {np.mean([covered(row) for row in rows]):.3f}, median width {width:.2f}"
    )


def _judged_success(rows: Sequence[Row]) -> Iterator[str]:
    yield _of_success("all", rows)
    stated, realised = _column(rows, "probability"), _column(rows, "realised")
    sure = stated >= SURE
    gap = abs(stated[sure].mean() - realised[sure].mean()) if sure.any() else np.inf
    met = bool(sure.sum() >= ENOUGH and gap <= NEAR)
    yield f"rule 1 {_met(met)}: of {int(sure.sum())} pairs stated at least {SURE}, gap {gap:.3f}"
    held = np.mean([covered(row) for row in rows])
    wide = np.median(_column(rows, "high") - _column(rows, "low"))
    met = bool(len(rows) >= 1000 and held >= COVERED and wide <= WIDE)
    yield f"rule 2 {_met(met)}: {len(rows)} pairs, {held:.3f} covered, median width {wide:.2f}"


def _of_bounds(rows: Sequence[Row]) -> str:
    low, realised = _column(rows, "low"), _column(rows, "realised")
    share = np.median(low / np.maximum(realised, 1e-12))
    plain = np.mean(low <= realised + 1e-9)
    return (
        f"{len(rows)} pairs, lower bounds hold in {np.mean([holds(row) for row in rows]):.3f} "
        f"({plain:.3f} with no error allowed for), median share {share:.2f}, upper ones in "
        f"{np.mean(_column(rows, 'high') >= realised - 2 * _column(rows, 'error')):.3f}"
    )


def _judged_bounds(rows: Sequence[Row]) -> Iterator[str]:
    low, realised = _column(rows, "low"), _column(rows, "realised")
    held = np.mean([holds(row) for row in rows])
    share = np.median(low / np.maximum(realised, 1e-12))
    yield f"rule 3 {_met(bool(held >= VALID and share >= SHARE))}: " + _of_bounds(rows)


def _of_ablation(name: str, rows: Sequence[Row]) -> str:
    return (
        f"{name}: {len(rows)} goals, {_column(rows, 'stated').mean():.3f} stated, "
        f"{_column(rows, 'arrived').mean():.3f} arrive, median "
        f"{np.median(_column(rows, 'steps')):.0f} steps, {_column(rows, 'seconds').mean():.2f} s"
    )


def _met(met: bool) -> str:
    return "met" if met else "NOT MET"
