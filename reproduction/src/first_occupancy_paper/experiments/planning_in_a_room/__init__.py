"""Does planning with the FR chain policies into a shorter path? (Fig. "simple_planning")."""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.planning_in_a_room.find import find
from first_occupancy_paper.experiments.planning_in_a_room.plot import plot
from first_occupancy_paper.experiments.planning_in_a_room.run import Config, run

PLANNING_IN_A_ROOM = Experiment(
    name="planning_in_a_room",
    question="Does planning with the FR chain policies into a shorter path than GPI follows?",
    paper='Figs. "simple_planning", "simple_planning_output", "fr_sr_viz"',
    config=Config,
    run=run,
    plot=plot,
    find=find,
)
