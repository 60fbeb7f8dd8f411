"""Is the FR higher for shorter paths? (Fig. "FR_vs_sr")."""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.shorter_paths.find import find
from first_occupancy_paper.experiments.shorter_paths.plot import plot
from first_occupancy_paper.experiments.shorter_paths.run import Config, run

SHORTER_PATHS = Experiment(
    name="shorter_paths",
    question="Is the FR higher for shorter paths, where the SR prefers repeated visits?",
    paper='Fig. "FR_vs_sr"',
    config=Config,
    run=run,
    plot=plot,
    find=find,
)
