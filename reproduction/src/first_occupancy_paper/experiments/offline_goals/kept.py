"""Rows that are kept with the project: they take hours to compute, some of them on a GPU."""

import json
from pathlib import Path

from first_occupancy_paper.experiments import Row

KEPT = Path(__file__).parents[4] / "results" / "offline_goals.jsonl"
"""A file of the checkout; an installed package does not have it, hence has no rows.

Settings were fixed on data of seeds 100 and 101 (ants: 0 and 100), and rules registered, before
the rows of other seeds were computed; protocols says what was changed afterwards. Networks,
Acrobot's grids, products of SRs and FRP without refinement ran on a GPU, the rest on CPUs. Rows do
not name the commit that made them.
"""


def kept() -> list[Row]:
    """Return the kept rows: arrivals by set, variant, seed and task; bounds; ants; skills; ways."""
    if not KEPT.exists():
        return []
    return [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]
