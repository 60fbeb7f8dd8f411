"""In which order to visit many goals, and whether plans work as options (appendix)."""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.many_goals.find import find
from first_occupancy_paper.experiments.many_goals.plot import plot
from first_occupancy_paper.experiments.many_goals.run import run, settings

MANY_GOALS = Experiment(
    name="many_goals",
    question="In which order are many goals visited best, and do plans work as options?",
    paper='Appendix "FRP with multiple goals" and "Connections to options"',
    settings=settings,
    run=run,
    plot=plot,
    find=find,
)
