# Public names of the package; __init__.py loads each from the module given here, on first use.

from . import behaviour
from .behaviour.arenas import arena
from .behaviour.tracking import read_tracking
from .continuous.goal_plans import GoalPlan
from .continuous.landmark_worlds import LandmarkWorld, landmark_world
from .continuous.skill_worlds import skill_episodes, skill_world
from .core import MDP, InputError, SparseMDP, World, chain, constant_policies, rollout, rollouts
from .core.episodes import Episodes
from .environments import (
    Graph,
    Maze,
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
from .interop.data.logs import Log, count_transitions, transition_log
from .interop.data.minari import from_minari
from .interop.environments import from_environment
from .interop.hitting import hitting
from .planning.agents import Agent
from .planning.collect import collect
from .planning.collection import Collection
from .planning.dynamic_programming import policy_iteration, value_iteration
from .planning.evaluation import evaluate
from .planning.legs import Leg
from .planning.plan import Planner, plan
from .planning.plans import Plan
from .planning.world_tours import Tour, tour
from .plotting.painters import plot
from .representations import (
    LambdaRepresentation,
    Occupancies,
    expected_returns,
    first_occupancy,
    occupancies,
    successor,
)
from .representations.passages import Passage
from .storage.saving import load, save

__version__: str

__all__ = [
    "MDP",
    "Agent",
    "Collection",
    "Episodes",
    "GoalPlan",
    "Graph",
    "InputError",
    "LambdaRepresentation",
    "LandmarkWorld",
    "Leg",
    "Log",
    "Maze",
    "Occupancies",
    "Passage",
    "Plan",
    "Planner",
    "SparseMDP",
    "Tour",
    "World",
    "arena",
    "behaviour",
    "chain",
    "collect",
    "constant_policies",
    "count_transitions",
    "escape_arena",
    "evaluate",
    "event_log",
    "expected_returns",
    "first_occupancy",
    "four_rooms",
    "from_edges",
    "from_environment",
    "from_image",
    "from_minari",
    "from_networkx",
    "from_ros_map",
    "from_scipy",
    "frs_from_log",
    "hitting",
    "landmark_world",
    "load",
    "maze",
    "occupancies",
    "plan",
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
    "value_iteration",
]
