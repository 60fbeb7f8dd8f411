"""Beyond the paper: does planning towards novelty explore better than a bonus?"""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.planned_exploration.find import find
from first_occupancy_paper.experiments.planned_exploration.plot import plot
from first_occupancy_paper.experiments.planned_exploration.run import run, settings

PLANNED_EXPLORATION = Experiment(
    name="planned_exploration",
    question="Does planning with FRs towards novelty that can be had once explore better "
    "than a bonus?",
    paper="beyond the paper (its bonuses: Tables 1 and 2)",
    settings=settings,
    run=run,
    plot=plot,
    find=find,
    beyond=True,
)
