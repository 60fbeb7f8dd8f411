"""The paper's worlds as Gymnasium environments; importing this module registers them.

    import gymnasium
    import first_occupancy.interop.gym.registration

    environment = gymnasium.make("first_occupancy/FourRooms-v0", noise=0.25)
    environment = gymnasium.make("first_occupancy/Maze-v0", drawing=["S.#", "..G"])

Gymnasium imports the module itself when it is part of the name:
`gymnasium.make("first_occupancy.interop.gym.registration:first_occupancy/Maze-v0", ...)`. It does
not find the worlds without either: Gymnasium 1.0 dropped the entry points (`gymnasium.envs`) by
which installed packages used to announce theirs.

| name | arguments | ends |
| --- | --- | --- |
| `RiverSwim-v0` | `num_states=6` | cut off after 5,000 steps, as in the paper |
| `SixArms-v0` | | cut off after 5,000 steps |
| `FourRooms-v0` | `noise=0.0, goals=[(1, 9)]` | at the goals, or after 75 steps |
| `Escape-v0` | `size=25, barrier=True` | in the shelter, or after 200 steps |
| `Maze-v0` | `drawing, moves, noise, bump_cost, goals` | at the goals, or after 1,000 steps |
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
"""The goal of FourRooms unless one is named: the corner opposite the start."""


def river_swim_environment(
    *, num_states: int = 6, render_mode: str | None = None
) -> MDPEnvironment:
    """Return RiverSwim-N to act in."""
    return MDPEnvironment(river_swim(num_states), render_mode=render_mode)


def six_arms_environment(*, render_mode: str | None = None) -> MDPEnvironment:
    """Return SixArms to act in."""
    return MDPEnvironment(six_arms(), render_mode=render_mode)


def four_rooms_environment(
    *,
    noise: float = 0.0,
    goals: Sequence[tuple[int, int]] = (FAR_CORNER,),
    render_mode: str | None = None,
) -> MazeEnvironment:
    """Return FourRooms to act in: a bump costs 1, a goal pays 1; without goals nothing ends it."""
    return MazeEnvironment(four_rooms(noise), goals=goals, render_mode=render_mode)


def escape_environment(
    *, size: int = 25, barrier: bool = True, render_mode: str | None = None
) -> MazeEnvironment:
    """Return the escape arena to act in: from the threat to the shelter, which pays 1."""
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
    """Return a drawn maze to act in; `goals` names cells in place of the drawing's 'G'."""
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
"""What Gymnasium calls the worlds, how they are made, and after how many steps they are cut off."""

if gymnasium is not None:
    for _name, (_maker, _steps) in WORLDS.items():
        gymnasium.register(
            _name, entry_point=f"{_maker.__module__}:{_maker.__name__}", max_episode_steps=_steps
        )
