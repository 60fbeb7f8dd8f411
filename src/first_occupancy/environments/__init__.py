"""The worlds of the paper, mazes from drawings, and graphs."""

from first_occupancy.environments.arrows import drawn_policy
from first_occupancy.environments.graphs import Graph, from_edges, from_networkx, from_scipy
from first_occupancy.environments.map_images import from_image
from first_occupancy.environments.mazes import EIGHT_MOVES, FOUR_MOVES, Maze, maze
from first_occupancy.environments.river_swim import river_swim
from first_occupancy.environments.rooms import escape_arena, four_rooms, small_room
from first_occupancy.environments.ros_maps import RobotMap, from_ros_map
from first_occupancy.environments.six_arms import six_arms

__all__ = [
    "EIGHT_MOVES",
    "FOUR_MOVES",
    "Graph",
    "Maze",
    "RobotMap",
    "drawn_policy",
    "escape_arena",
    "four_rooms",
    "from_edges",
    "from_image",
    "from_networkx",
    "from_ros_map",
    "from_scipy",
    "maze",
    "river_swim",
    "six_arms",
    "small_room",
]
