"""Rows that are kept with the project, because the recordings are not part of it."""

import json
from pathlib import Path

from first_occupancy_paper.experiments import Row

KEPT = Path(__file__).parents[4] / "results" / "labyrinth.jsonl"
"""A file of the checkout; an installed package does not have it, hence has no rows.

`python -m first_occupancy_paper.experiments.labyrinth FOLDER FILE` makes them from the recordings.
"""


def kept() -> list[Row]:
    """Return the kept rows: bits per choice, no recordings."""
    if not KEPT.exists():
        return []
    return [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]
