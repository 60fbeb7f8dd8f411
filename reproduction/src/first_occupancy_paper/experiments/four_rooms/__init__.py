"""Fig. "4room_planning": does planning with FRs reach the optimum in a few sweeps?"""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.four_rooms.find import find
from first_occupancy_paper.experiments.four_rooms.plot import plot
from first_occupancy_paper.experiments.four_rooms.run import run, settings

FOUR_ROOMS = Experiment(
    name="four_rooms",
    question="Does planning with learned FRs reach value iteration's optimum in three sweeps?",
    paper='Fig. "4room_planning" a, b, c, Fig. "4rooms_curves"',
    settings=settings,
    run=run,
    plot=plot,
    find=find,
)
