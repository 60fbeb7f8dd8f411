"""Rows that are kept with the project, because computing them takes minutes."""

import json
from pathlib import Path

from first_occupancy_paper.experiments import Row

KEPT = Path(__file__).parents[4] / "results" / "model_recovery.jsonl"
"""A file of the checkout; an installed package does not have it, hence has no rows.

The rows are those of `run(Config(), 0)`, made by
`python -m first_occupancy_paper.experiments.model_recovery FILE`: one seed, 12 layouts and 30
moves, set for lack of computing time before any result was seen.
"""


def kept() -> list[Row]:
    """Return the kept rows: wins and correlations by the model that made the choices."""
    if not KEPT.exists():
        return []
    return [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]
