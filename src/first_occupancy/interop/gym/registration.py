"""The paper's worlds as Gymnasium environments. Importing this module registers them.

    import gymnasium
    import first_occupancy.interop.gym.registration

    environment = gymnasium.make("first_occupancy/FourRooms-v0", noise=0.25)
    environment = gymnasium.make("first_occupancy/Maze-v0", drawing=["S.#", "..G"])

Gymnasium imports the module itself when it is part of the name:
`gymnasium.make("first_occupancy.interop.gym.registration:first_occupancy/Maze-v0", ...)`. It does
not find the worlds without either: Gymnasium 1.0 dropped the entry points (`gymnasium.envs`) by
which installed packages used to announce theirs.

| name | arguments | an episode ends |
| --- | --- | --- |
| `RiverSwim-v0` | `num_states=6` | after 5,000 steps, as in the paper |
| `SixArms-v0` | | after 5,000 steps |
| `FourRooms-v0` | `noise=0.0, goals=[(1, 9)], goal_reward=1.0` | at a goal, or after 75 steps |
| `Escape-v0` | `size=25, barrier=True` | in the shelter, or after 200 steps |
| `Maze-v0` | `drawing, moves, noise, bump_cost, goals, goal_reward` | at a goal, or after 1,000 |
| `MountainCar-v0` | `goal=None` | at the goal, if there is one, or after 200 steps |

All take `render_mode` "ansi" or "rgb_array". Noise is the probability that a uniformly random move
replaces the chosen one; goals are cells, (row, column), and None stands for those of the drawing.
"""

from collections.abc import Sequence
from typing import Any

from first_occupancy.environments import (
    FOUR_MOVES,
    escape_arena,
    four_rooms,
    maze,
    river_swim,
    six_arms,
)
from first_occupancy.environments.mazes import Moves
from first_occupancy.interop.extras import gymnasium
from first_occupancy.interop.gym.car_environment import MountainCarEnvironment
from first_occupancy.interop.gym.finite_environments import MazeEnvironment, MDPEnvironment

FAR_CORNER = (1, 9)
"""The default goal of FourRooms, (row, column): the corner opposite the start."""


def _river_swim(*, num_states: int = 6, **options: Any) -> MDPEnvironment:
    return MDPEnvironment(river_swim(num_states), **options)


def _six_arms(**options: Any) -> MDPEnvironment:
    return MDPEnvironment(six_arms(), **options)


def _four_rooms(
    *, noise: float = 0.0, goals: Sequence[tuple[int, int]] = (FAR_CORNER,), **options: Any
) -> MazeEnvironment:
    return MazeEnvironment(four_rooms(noise), goals=goals, **options)


def _escape(*, size: int = 25, barrier: bool = True, **options: Any) -> MazeEnvironment:
    return MazeEnvironment(escape_arena(size, barrier), **options)


def _maze(
    drawing: str | Sequence[str],
    *,
    moves: Moves = FOUR_MOVES,
    noise: float = 0.0,
    bump_cost: float = 0.0,
    **options: Any,
) -> MazeEnvironment:
    world = maze(drawing, moves=moves, noise=noise, bump_cost=bump_cost)
    return MazeEnvironment(world, **options)


WORLDS = {
    "first_occupancy/RiverSwim-v0": (_river_swim, 5000),
    "first_occupancy/SixArms-v0": (_six_arms, 5000),
    "first_occupancy/FourRooms-v0": (_four_rooms, 75),
    "first_occupancy/Escape-v0": (_escape, 200),
    "first_occupancy/Maze-v0": (_maze, 1000),
    "first_occupancy/MountainCar-v0": (MountainCarEnvironment, 200),
}
"""The ids of the environments, their constructors, and the steps after which they truncate."""

if gymnasium is not None:
    for _name, (_maker, _steps) in WORLDS.items():
        gymnasium.register(
            _name, entry_point=f"{_maker.__module__}:{_maker.__name__}", max_episode_steps=_steps
        )
