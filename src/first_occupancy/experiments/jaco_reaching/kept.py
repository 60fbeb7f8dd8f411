"""Rows of full-size runs, which take a GPU and are therefore kept with the project."""

from collections.abc import Iterable
from pathlib import Path

from first_occupancy.arm.runs import row_files
from first_occupancy.experiments import Row

KEPT = Path(__file__).parents[4] / "results" / "jaco_reaching"
"""Part of a checkout; an installed package has no such folder, hence no rows."""


def kept() -> list[Row]:
    """Return the rows of all kept runs."""
    return gathered(sorted(KEPT.glob("*.jsonl")))


def gathered(paths: Iterable[Path]) -> list[Row]:
    """Return the rows of some files, each with the name of its file; origins are rows too."""
    found: list[Row] = []
    for path in paths:
        origin, rows = row_files.read(path)
        found.append({"part": "origin", "file": path.stem, **origin})
        found += [{"part": "run", "file": path.stem, **row} for row in rows]
    return found
