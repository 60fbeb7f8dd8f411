"""Rows of full-size runs, which need a GPU and are therefore kept with the project."""

from collections.abc import Iterable
from pathlib import Path

from first_occupancy_paper.arm.runs import row_files
from first_occupancy_paper.experiments import Row
from first_occupancy_paper.rows.kept import RESULTS

KEPT = RESULTS / "jaco_reaching"


def kept() -> list[Row]:
    """Return the rows of all kept runs."""
    return gathered(sorted(KEPT.glob("*.jsonl")))


def gathered(paths: Iterable[Path]) -> list[Row]:
    """Return the rows of some files, each with its file's name; a file's origin is a row too."""
    found: list[Row] = []
    for path in paths:
        origin, rows = row_files.read(path)
        found.append({"part": "origin", "file": path.stem, **origin})
        found += [{"part": "run", "file": path.stem, **row} for row in rows]
    return found
