"""Does the FR make a better exploration bonus than the SR, as in Tables 1 and 2?"""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.exploration.find import find
from first_occupancy_paper.experiments.exploration.plot import plot
from first_occupancy_paper.experiments.exploration.run import run, settings

EXPLORATION = Experiment(
    name="exploration",
    question="Does an exploration bonus from the FR find more reward than one from the SR?",
    paper='Tables 1 and 2, Fig. "explore_envs"',
    settings=settings,
    run=run,
    plot=plot,
    find=find,
)
