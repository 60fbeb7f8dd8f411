"""All experiments in the order of the paper."""

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.claims import CLAIMS
from first_occupancy_paper.experiments.collecting import COLLECTING
from first_occupancy_paper.experiments.escape import ESCAPE
from first_occupancy_paper.experiments.exploration import EXPLORATION
from first_occupancy_paper.experiments.four_rooms import FOUR_ROOMS
from first_occupancy_paper.experiments.jaco_reaching.definition import JACO_REACHING
from first_occupancy_paper.experiments.labyrinth import LABYRINTH
from first_occupancy_paper.experiments.many_goals import MANY_GOALS
from first_occupancy_paper.experiments.model_recovery import MODEL_RECOVERY
from first_occupancy_paper.experiments.mountain_car import MOUNTAIN_CAR
from first_occupancy_paper.experiments.offline_goals import OFFLINE_GOALS
from first_occupancy_paper.experiments.planned_exploration import PLANNED_EXPLORATION
from first_occupancy_paper.experiments.planning_in_a_room import PLANNING_IN_A_ROOM
from first_occupancy_paper.experiments.shorter_paths import SHORTER_PATHS
from first_occupancy_paper.experiments.tartarus import TARTARUS

EXPERIMENTS: tuple[Experiment, ...] = (
    SHORTER_PATHS,
    EXPLORATION,
    MOUNTAIN_CAR,
    JACO_REACHING,
    PLANNING_IN_A_ROOM,
    FOUR_ROOMS,
    ESCAPE,
    MANY_GOALS,
    CLAIMS,
    PLANNED_EXPLORATION,
    TARTARUS,
    LABYRINTH,
    MODEL_RECOVERY,
    OFFLINE_GOALS,
    COLLECTING,
)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name."""
    for candidate in EXPERIMENTS:
        if candidate.name == name:
            return candidate
    known = ", ".join(candidate.name for candidate in EXPERIMENTS)
    raise InputError(f"NAME must be one of {known}, got {name!r}")
