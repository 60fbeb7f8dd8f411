"""Planning with representations: FR-planning, GPI, tours, and dynamic programming as a baseline.

`frp` plans with any FRs, to one goal or to all; `paths` plans where world and policies are
deterministic. Both return a `Plan` (`plans`). `evaluation` computes the true value of a plan,
`options` executes it, and `plan_files` stores it. `deadlines` has plans that most probably arrive
by a time, `tours` orders many goals, and `collect` rewards that can be taken once. `gpi` and
`feature_policies` choose among policies without switching. `dynamic_programming` computes the
optimum from the full model.
"""

from first_occupancy.planning import (
    dynamic_programming,
    evaluation,
    feature_policies,
    frp,
    gpi,
    options,
    paths,
    plan_files,
    plans,
    tours,
)
from first_occupancy.planning.frp import (
    best_legs,
    plan_to_every_goal,
    plan_to_goal,
    plan_to_goals,
)
from first_occupancy.planning.legs import follow
from first_occupancy.planning.paths import plan_paths, plan_paths_to_goals
from first_occupancy.planning.plan_files import load_plans
from first_occupancy.planning.tours import best_order

__all__ = [
    "best_legs",
    "best_order",
    "dynamic_programming",
    "evaluation",
    "feature_policies",
    "follow",
    "frp",
    "gpi",
    "load_plans",
    "options",
    "paths",
    "plan_files",
    "plan_paths",
    "plan_paths_to_goals",
    "plan_to_every_goal",
    "plan_to_goal",
    "plan_to_goals",
    "plans",
    "tours",
]
