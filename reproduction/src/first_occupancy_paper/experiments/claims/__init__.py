"""Which of the statements that the paper makes without a figure hold?"""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.claims.find import find
from first_occupancy_paper.experiments.claims.plot import plot
from first_occupancy_paper.experiments.claims.run import run, settings

CLAIMS = Experiment(
    name="claims",
    question="Which of the propositions, bounds and counts stated in the text hold?",
    paper="Def. 3.2, Prop. 3.1, 3.2 and 4.1, Alg. 1 and 2, and the text of sections 2 and 4",
    settings=settings,
    run=run,
    plot=plot,
    find=find,
)
