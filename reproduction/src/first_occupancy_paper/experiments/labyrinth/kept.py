"""Rows that are kept with the project, because the recordings are not part of it."""

from first_occupancy_paper.experiments import Row
from first_occupancy_paper.rows.kept import RESULTS, read_kept

KEPT = RESULTS / "labyrinth.jsonl"
"""Made of the recordings by
`python -m first_occupancy_paper.experiments.labyrinth FOLDER FILE`.
"""


def kept() -> list[Row]:
    """Return the kept rows: bits per choice, no recordings."""
    return read_kept(KEPT)
