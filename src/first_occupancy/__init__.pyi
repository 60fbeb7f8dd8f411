# What the top level offers; __init__.py loads each name from where this file says.

from .core import MDP, InputError, chain, constant_policies, rollout, rollouts
from .environments import (
    Maze,
    drawn_policy,
    escape_arena,
    four_rooms,
    maze,
    river_swim,
    six_arms,
    small_room,
)
from .interop.data.logs import count_transitions, frs_from_log, transition_log
from .interop.data.minari import from_minari
from .interop.files import load, save
from .planning import gpi, options
from .planning.dynamic_programming import policy_iteration, value_iteration
from .planning.evaluation import evaluate
from .planning.frp import (
    plan_paths,
    plan_paths_to_goals,
    plan_to_every_goal,
    plan_to_goal,
    plan_to_goals,
)
from .planning.plans import Leg, Plan, unroll
from .planning.tours import best_order
from .representations import (
    LambdaRepresentation,
    Occupancies,
    first_occupancy,
    occupancies,
    successor,
    value,
)

__all__ = [
    "MDP",
    "InputError",
    "LambdaRepresentation",
    "Leg",
    "Maze",
    "Occupancies",
    "Plan",
    "best_order",
    "chain",
    "constant_policies",
    "count_transitions",
    "drawn_policy",
    "escape_arena",
    "evaluate",
    "first_occupancy",
    "four_rooms",
    "from_minari",
    "frs_from_log",
    "gpi",
    "load",
    "maze",
    "occupancies",
    "options",
    "plan_paths",
    "plan_paths_to_goals",
    "plan_to_every_goal",
    "plan_to_goal",
    "plan_to_goals",
    "policy_iteration",
    "river_swim",
    "rollout",
    "rollouts",
    "save",
    "six_arms",
    "small_room",
    "successor",
    "transition_log",
    "unroll",
    "value",
    "value_iteration",
]
