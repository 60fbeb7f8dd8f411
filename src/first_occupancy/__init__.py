"""First-occupancy representations: how soon things are reached, and plans made of it."""

from first_occupancy.core import MDP, InputError, chain, constant_policies, rollout
from first_occupancy.environments import (
    Maze,
    escape_arena,
    four_rooms,
    maze,
    river_swim,
    six_arms,
    small_room,
)
from first_occupancy.planning.evaluation import evaluate
from first_occupancy.planning.frp import Leg, Plan, plan_to_every_goal, plan_to_goal, unroll
from first_occupancy.planning.tours import best_order
from first_occupancy.representations import (
    first_occupancy,
    lambda_occupancy,
    state_action,
    successor,
    value,
)

__all__ = [
    "MDP",
    "InputError",
    "Leg",
    "Maze",
    "Plan",
    "best_order",
    "chain",
    "constant_policies",
    "escape_arena",
    "evaluate",
    "first_occupancy",
    "four_rooms",
    "lambda_occupancy",
    "maze",
    "plan_to_every_goal",
    "plan_to_goal",
    "river_swim",
    "rollout",
    "six_arms",
    "small_room",
    "state_action",
    "successor",
    "unroll",
    "value",
]
