"""Rows that are kept with the project, because the recordings are not part of it."""

import json
from pathlib import Path

from first_occupancy.experiments import Row

KEPT = Path(__file__).parents[4] / "results" / "tartarus.jsonl"
"""A file of the checkout; an installed package does not have it, hence has no rows.

Each row names its config and its seed; `python -m first_occupancy.experiments.tartarus FOLDER FILE`
makes the rows that a file lacks, from the folder of the recordings.

The kept rows were made by three states of the code that were not committed, before changes meant to
affect speed only; the rats' SR alone was fitted again afterwards, with the same sums. Rows of one
more disagreement (FRP with K = 1 and 9) were left out after they had been seen: the two disagree at
41 of the rats' choices, and at none of some subjects'.
"""


def kept() -> list[Row]:
    """Return the kept rows: sums over choices and fitted parameters, no recordings."""
    if not KEPT.exists():
        return []
    return [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]
