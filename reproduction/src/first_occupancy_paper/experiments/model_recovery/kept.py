"""Rows that are kept with the project, because computing them takes minutes."""

from first_occupancy_paper.experiments import Row
from first_occupancy_paper.rows.kept import RESULTS, read_kept

KEPT = RESULTS / "model_recovery.jsonl"
"""The rows are those of `run(Config(), 0)`, made by
`python -m first_occupancy_paper.experiments.model_recovery FILE`: one seed, 12 layouts and 30
moves, set for lack of computing time before any result was seen.
"""


def kept() -> list[Row]:
    """Return the kept rows: wins and correlations by the model that made the choices."""
    return read_kept(KEPT)
