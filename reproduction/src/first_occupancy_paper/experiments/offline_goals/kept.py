"""Rows that are kept with the project: they take hours to compute, some of them on a GPU."""

from first_occupancy_paper.experiments import Row
from first_occupancy_paper.rows.kept import RESULTS, read_kept

KEPT = RESULTS / "offline_goals.jsonl"
"""Settings were fixed on data of seeds 100 and 101 (ants: 0 and 100), and rules written, before
the rows of other seeds were computed; `reproduction/protocols` says what was changed afterwards.
Networks, Acrobot's grids, products of SRs and FRP without refinement ran on a GPU, the rest on
CPUs. Rows do not name the commit that made them.
"""


def kept() -> list[Row]:
    """Return the kept rows: arrivals by set, variant, seed and task; bounds; ants; skills; ways."""
    return read_kept(KEPT)
