"""Fig. "ff_mountaincar": do first-occupancy features choose the policy that arrives first?"""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.mountain_car.find import find
from first_occupancy_paper.experiments.mountain_car.plot import plot
from first_occupancy_paper.experiments.mountain_car.run import run, settings

MOUNTAIN_CAR = Experiment(
    name="mountain_car",
    question="Do features of first occupancy tell which policy reaches a new goal soonest?",
    paper='Fig. "ff_mountaincar" a, b, c, Fig. "mtn_car_curves", Fig. "ff_feature_dim"',
    settings=settings,
    run=run,
    plot=plot,
    find=find,
)
