"""Rows that are kept with the project, because the recordings are not part of it."""

from first_occupancy_paper.experiments import Row
from first_occupancy_paper.rows.kept import RESULTS, read_kept

KEPT = RESULTS / "tartarus.jsonl"
"""Each row names its config and its seed;
`python -m first_occupancy_paper.experiments.tartarus FOLDER FILE` makes the rows that a file lacks,
from the folder of the recordings.

The kept rows were made by commit f07f6b4. Older ones, of states that were not committed, were the
same in all 44 rows but one: fits of "SR, turning" to four humans reached better optima this time
(-49,320 instead of -49,585 in all). Rows of one more disagreement (FRP with K = 1 and 9) had been
left out after they were seen: the two disagree at 41 of the rats' choices, and at none of some
subjects'.
"""


def kept() -> list[Row]:
    """Return the kept rows: sums over choices and fitted parameters, no recordings."""
    return read_kept(KEPT)
