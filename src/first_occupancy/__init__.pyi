# Public names of the package; __init__.py loads each from the module given here, on first use.

from .continuous.landmark_worlds import landmark_world
from .continuous.mined_skills import mined_skill_world
from .continuous.skill_worlds import skill_episodes, skill_world
from .core import MDP, InputError, SparseMDP, World, chain, constant_policies, rollout, rollouts
from .core.episodes import Episodes
from .environments import (
    EIGHT_MOVES,
    FOUR_MOVES,
    Graph,
    Maze,
    drawn_policy,
    escape_arena,
    four_rooms,
    from_edges,
    from_networkx,
    from_scipy,
    maze,
    river_swim,
    six_arms,
    small_room,
)
from .interop.data.logs import count_transitions, frs_from_log, transition_log
from .interop.data.minari import from_minari
from .planning import gpi, options
from .planning.dynamic_programming import policy_iteration, value_iteration
from .planning.evaluation import evaluate
from .planning.frp import fold, plan_to_every_goal, plan_to_goal, plan_to_goals
from .planning.legs import Leg, follow
from .planning.paths import plan_paths, plan_paths_to_goals
from .planning.plan import Planner, plan
from .planning.plan_files import load_plans
from .planning.plans import Plan
from .planning.tours import best_order
from .planning.world_tours import Tour, tour
from .plotting.painters import plot
from .representations import (
    LambdaRepresentation,
    Occupancies,
    first_occupancy,
    occupancies,
    successor,
    value,
)
from .storage.saving import load, save

__all__ = [
    "EIGHT_MOVES",
    "FOUR_MOVES",
    "MDP",
    "Episodes",
    "Graph",
    "InputError",
    "LambdaRepresentation",
    "Leg",
    "Maze",
    "Occupancies",
    "Plan",
    "Planner",
    "SparseMDP",
    "Tour",
    "World",
    "best_order",
    "chain",
    "constant_policies",
    "count_transitions",
    "drawn_policy",
    "escape_arena",
    "evaluate",
    "first_occupancy",
    "fold",
    "follow",
    "four_rooms",
    "from_edges",
    "from_minari",
    "from_networkx",
    "from_scipy",
    "frs_from_log",
    "gpi",
    "landmark_world",
    "load",
    "load_plans",
    "maze",
    "mined_skill_world",
    "occupancies",
    "options",
    "plan",
    "plan_paths",
    "plan_paths_to_goals",
    "plan_to_every_goal",
    "plan_to_goal",
    "plan_to_goals",
    "plot",
    "policy_iteration",
    "river_swim",
    "rollout",
    "rollouts",
    "save",
    "six_arms",
    "skill_episodes",
    "skill_world",
    "small_room",
    "successor",
    "tour",
    "transition_log",
    "value",
    "value_iteration",
]
