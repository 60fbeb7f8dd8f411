"""The experiment as `reproduce` knows it: its rows are kept, since a run takes hours of a GPU."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from first_occupancy.arm.runs.run_config import RunConfig
from first_occupancy.arm.runs.run_folders import ROWS
from first_occupancy.arm.runs.train import train
from first_occupancy.experiments.experiment import Experiment, Row
from first_occupancy.experiments.jaco_reaching.find import find
from first_occupancy.experiments.jaco_reaching.kept import gathered, kept
from first_occupancy.experiments.jaco_reaching.plot import plot


def settings(quick: bool) -> Sequence[tuple[RunConfig, int]]:
    """Return no jobs for `reproduce`; `first-occupancy run jaco_reaching` trains the agents."""
    del quick
    return []


def run(config: RunConfig, seed: int) -> Iterator[Row]:
    """Yield the rows of one seed, trained from beginning to end.

    Args:
        config: settings of the run.
        seed: replaces the settings' seeds.
    """
    with TemporaryDirectory() as folder:
        train(replace(config, seeds=(seed,)), Path(folder))
        yield from gathered([Path(folder) / ROWS])


JACO_REACHING = Experiment(
    name="jaco_reaching",
    question="Does pre-training with first-occupancy features speed up learning to reach?",
    paper='Fig. "apf"',
    settings=settings,
    run=run,
    plot=plot,
    find=find,
    kept=kept,
)
