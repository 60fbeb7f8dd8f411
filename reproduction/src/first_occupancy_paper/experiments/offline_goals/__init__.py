"""Goals from logs of continuous worlds: OGBench's point mazes, planned over landmarks."""

from functools import partial

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.offline_goals.find import find
from first_occupancy_paper.experiments.offline_goals.plot import plot
from first_occupancy_paper.experiments.offline_goals.run import run
from first_occupancy_paper.rows.kept import read_kept

OFFLINE_GOALS = Experiment(
    name="offline_goals",
    question="Do plans over landmarks reach any goal from logs of continuous worlds?",
    paper="Beyond the paper: point mazes of OGBench (Park et al., 2025)",
    run=run,
    plot=plot,
    find=find,
    beyond=True,
    kept=partial(read_kept, "offline_goals"),
)
