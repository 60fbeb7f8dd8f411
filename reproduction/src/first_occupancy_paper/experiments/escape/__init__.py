"""Does planning with the FR escape as mice do? (Fig. "mouse")."""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.escape.find import find
from first_occupancy_paper.experiments.escape.plot import plot
from first_occupancy_paper.experiments.escape.run import run, settings

ESCAPE = Experiment(
    name="escape",
    question="Does an agent that plans with its FRs learn to run round a barrier, as mice do?",
    paper='Figs. "mouse", "escape_supp", "escape_curves", "escape_sr"',
    settings=settings,
    run=run,
    plot=plot,
    find=find,
)
