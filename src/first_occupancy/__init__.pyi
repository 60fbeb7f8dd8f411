# Public names of the package; __init__.py loads each from the module given here, on first use.

from . import behaviour
from .behaviour.arenas import arena
from .behaviour.tracking import read_tracking
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
    from_image,
    from_networkx,
    from_ros_map,
    from_scipy,
    maze,
    river_swim,
    six_arms,
    small_room,
)
from .interop.data.events import event_log
from .interop.data.log_estimates import frs_from_log
from .interop.data.logs import count_transitions, transition_log
from .interop.data.minari import from_minari
from .interop.environments import from_environment
from .interop.hitting import hitting
from .planning import gpi, options
from .planning.agents import Agent
from .planning.collect import collect
from .planning.collection import Collection
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

__version__: str

__all__ = [
    "EIGHT_MOVES",
    "FOUR_MOVES",
    "MDP",
    "Agent",
    "Collection",
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
    "arena",
    "behaviour",
    "best_order",
    "chain",
    "collect",
    "constant_policies",
    "count_transitions",
    "drawn_policy",
    "escape_arena",
    "evaluate",
    "event_log",
    "first_occupancy",
    "fold",
    "follow",
    "four_rooms",
    "from_edges",
    "from_environment",
    "from_image",
    "from_minari",
    "from_networkx",
    "from_ros_map",
    "from_scipy",
    "frs_from_log",
    "gpi",
    "hitting",
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
    "read_tracking",
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
