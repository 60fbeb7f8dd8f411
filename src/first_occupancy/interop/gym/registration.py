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
| `FourRooms-v0` | `noise=0.0, goals=[(1, 9)]` | at a goal, or after 75 steps |
| `Escape-v0` | `size=25, barrier=True` | in the shelter, or after 200 steps |
| `Maze-v0` | those of `maze_environment` | at a goal, or after 1,000 steps |
| `MountainCar-v0` | `goal=None` | at the goal, if there is one, or after 200 steps |

All take `render_mode` "ansi" or "rgb_array".
"""

from collections.abc import Sequence

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


def river_swim_environment(
    *, num_states: int = 6, render_mode: str | None = None
) -> MDPEnvironment:
    """Return RiverSwim-N as an environment.

    Args:
        num_states: length of the river, at least 3.
        render_mode: "ansi" for text, "rgb_array" for pixels, or None for no rendering.
    """
    return MDPEnvironment(river_swim(num_states), render_mode=render_mode)


def six_arms_environment(*, render_mode: str | None = None) -> MDPEnvironment:
    """Return SixArms as an environment."""
    return MDPEnvironment(six_arms(), render_mode=render_mode)


def four_rooms_environment(
    *,
    noise: float = 0.0,
    goals: Sequence[tuple[int, int]] = (FAR_CORNER,),
    render_mode: str | None = None,
) -> MazeEnvironment:
    """Return FourRooms as an environment: a bump costs 1, and a goal pays 1.

    Args:
        noise: probability that a uniformly random move replaces the chosen one.
        goals: goal cells as (row, column). Without goals, episodes do not terminate.
        render_mode: "ansi" for text, "rgb_array" for pixels, or None for no rendering.
    """
    return MazeEnvironment(four_rooms(noise), goals=goals, render_mode=render_mode)


def escape_environment(
    *, size: int = 25, barrier: bool = True, render_mode: str | None = None
) -> MazeEnvironment:
    """Return the escape arena as an environment: from the threat to the shelter, which pays 1.

    Args:
        size: side of the square arena in cells, outer walls included, at least 5.
        barrier: whether a barrier stands between threat and shelter.
        render_mode: "ansi" for text, "rgb_array" for pixels, or None for no rendering.
    """
    return MazeEnvironment(escape_arena(size, barrier), render_mode=render_mode)


def maze_environment(
    drawing: str | Sequence[str],
    *,
    moves: Moves = FOUR_MOVES,
    noise: float = 0.0,
    bump_cost: float = 0.0,
    goals: Sequence[tuple[int, int]] | None = None,
    goal_reward: float = 1.0,
    render_mode: str | None = None,
) -> MazeEnvironment:
    """Return a drawn maze as an environment.

    Args:
        drawing: text, or a sequence of its lines: '#' wall, '.' or ' ' free, 'S' start, 'G' goal.
        moves: name and (down, right) offset of each action.
        noise: probability that a uniformly random move replaces the chosen one.
        bump_cost: cost of a step that stays in place.
        goals: goal cells as (row, column), instead of those of the drawing.
        goal_reward: reward for arriving at a goal.
        render_mode: "ansi" for text, "rgb_array" for pixels, or None for no rendering.
    """
    world = maze(drawing, moves=moves, noise=noise, bump_cost=bump_cost)
    return MazeEnvironment(world, goals=goals, goal_reward=goal_reward, render_mode=render_mode)


WORLDS = {
    "first_occupancy/RiverSwim-v0": (river_swim_environment, 5000),
    "first_occupancy/SixArms-v0": (six_arms_environment, 5000),
    "first_occupancy/FourRooms-v0": (four_rooms_environment, 75),
    "first_occupancy/Escape-v0": (escape_environment, 200),
    "first_occupancy/Maze-v0": (maze_environment, 1000),
    "first_occupancy/MountainCar-v0": (MountainCarEnvironment, 200),
}
"""The ids of the environments, their constructors, and the steps after which they truncate."""

if gymnasium is not None:
    for _name, (_maker, _steps) in WORLDS.items():
        gymnasium.register(
            _name, entry_point=f"{_maker.__module__}:{_maker.__name__}", max_episode_steps=_steps
        )
