"""Rows that are kept with the project, because the recordings are not part of it."""

import json
from pathlib import Path

from first_occupancy.experiments import Row

KEPT = Path(__file__).parents[4] / "results" / "tartarus.jsonl"
"""A file of the checkout; an installed package does not have it, hence has no rows.

`run` makes a row for each of `all_configs()`; not all are kept. Those of FRP with 1 to 5 switches,
and with none for humans, were fitted to choices grouped by the steps that remain after each action,
with SciPy; where both were run (K = 0 and 9 for rats, 9 for humans) they agree to 0.02 nats.
"""


def kept() -> list[Row]:
    """Return the kept rows: sums over choices and fitted parameters, no recordings."""
    if not KEPT.exists():
        return []
    return [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]
