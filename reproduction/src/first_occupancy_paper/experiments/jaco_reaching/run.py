"""One seed of the experiment, trained from beginning to end, and the rows that are kept."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from first_occupancy_paper.arm.runs.row_files import gathered
from first_occupancy_paper.arm.runs.run_config import RunConfig
from first_occupancy_paper.arm.runs.run_folders import ROWS
from first_occupancy_paper.arm.runs.train import train
from first_occupancy_paper.rows.kept import RESULTS
from first_occupancy_paper.rows.row import Row

KEPT = RESULTS / "jaco_reaching"


def kept() -> list[Row]:
    """Return the rows of all kept runs."""
    return gathered(sorted(KEPT.glob("*.jsonl")))


def run(config: RunConfig, seed: int) -> Iterator[Row]:
    """Yield the rows of one seed.

    Args:
        config: settings of the run; its seeds are ignored.
        seed: seed to train.
    """
    with TemporaryDirectory() as folder:
        train(replace(config, seeds=(seed,)), Path(folder))
        yield from gathered([Path(folder) / ROWS])
