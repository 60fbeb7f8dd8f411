"""Models of recorded animals and people: fitted, compared and simulated.

    layouts = grid_layouts(free, goal=33)
    subjects = subjects_from_paths(layouts, {"rat 1": [Trial(0, [9, 19, 18]), ...], ...})
    print(compare([random_walk(), successor_model(), planning_model(3)], subjects))

| module | |
| --- | --- |
| `tracking`, `calibration` | positions from files, in metres |
| `arenas`, `visits` | arenas of cells; the cells that a track visited, and what was left out |
| `subjects` | recorded paths as choices of all subjects, checked and padded |
| `models` | the usual models, and `Model` to make others |
| `valuations`, `learned_values`, `planned_values` | what is valued: nothing, FR, SR, λ, Q, plans |
| `beliefs`, `switch_distances` | walls as last seen; steps to the goal with at most K switches |
| `choice_rules`, `parameters` | softmax, lapse, perseverance, turning biases; bounded parameters |
| `fitting` | maximum likelihood |
| `grouping` | choices that a model cannot tell apart, counted together |
| `held_out`, `comparison`, `model_selection` | held-out likelihoods, tables, random effects |
| `path_scores` | paths against values of cells, without a fit |
| `simulation`, `recovery` | simulated subjects, and whether models and parameters are found again |
"""

from first_occupancy.behaviour.comparison import Comparison, compare
from first_occupancy.behaviour.models import (
    Model,
    first_occupancy_model,
    habit_model,
    lambda_model,
    mixture_model,
    model_based,
    planning_model,
    q_model,
    random_walk,
    successor_model,
)
from first_occupancy.behaviour.subjects import Subjects, Trial, grid_layouts, subjects_from_paths
from first_occupancy.behaviour.visits import Visits

__all__ = [
    "Comparison",
    "Model",
    "Subjects",
    "Trial",
    "Visits",
    "compare",
    "first_occupancy_model",
    "grid_layouts",
    "habit_model",
    "lambda_model",
    "mixture_model",
    "model_based",
    "planning_model",
    "q_model",
    "random_walk",
    "subjects_from_paths",
    "successor_model",
]
