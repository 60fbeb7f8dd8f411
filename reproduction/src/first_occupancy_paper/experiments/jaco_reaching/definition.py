"""The experiment as `reproduce` knows it; its rows are kept, as a run takes hours on a GPU."""

from first_occupancy_paper.arm.runs.row_files import gathered
from first_occupancy_paper.experiments import Experiment, Row
from first_occupancy_paper.experiments.jaco_reaching.find import find
from first_occupancy_paper.experiments.jaco_reaching.plot import plot
from first_occupancy_paper.experiments.jaco_reaching.run import run
from first_occupancy_paper.rows.kept import RESULTS

KEPT = RESULTS / "jaco_reaching"


def kept() -> list[Row]:
    """Return the rows of all kept runs."""
    return gathered(sorted(KEPT.glob("*.jsonl")))


JACO_REACHING = Experiment(
    name="jaco_reaching",
    question="Does pre-training with first-occupancy features speed up learning to reach?",
    paper='Fig. "apf"',
    run=run,
    plot=plot,
    find=find,
    kept=kept,
)
