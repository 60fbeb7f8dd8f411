"""Success of agents that plan over landmarks, in OGBench's point mazes and by its rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from first_occupancy.continuous.goal_plans import GoalAgent
from first_occupancy.continuous.landmark_worlds import LandmarkWorld, landmark_world
from first_occupancy.core.errors import InputError
from first_occupancy.core.settings import NonNegativeInt, OneOf, PositiveInt, check_settings
from first_occupancy.environments.point_maze_logs import point_maze_log, rolled_out, sizes_of
from first_occupancy.environments.point_mazes import PointMaze, point_maze
from first_occupancy.experiments import Row
from first_occupancy.experiments.offline_goals.bounds import checked_bounds
from first_occupancy.experiments.offline_goals.variants import VARIANTS, WHOLE, plan_of

EPISODES = 50
"""Episodes of each task, as in OGBench."""

MAX_STEPS = 1000
"""Steps after which an episode has failed, as in OGBench."""

SETS = tuple(
    (maze, kind)
    for kind in ("navigate", "stitch")
    for maze in ("medium", "large", "giant", "teleport")
)


@dataclass(frozen=True)
class Config:
    """One set of data and one variant of the method.

    Attributes:
        maze: maze.
        kind: how the data were recorded.
        variant: the method, or an ablation of it.
        divisor: 1 for as many episodes as OGBench has, 10 for a tenth.
        episodes: episodes of each of the five tasks; 0 for none.
        pairs: pairs of a start and a goal for which bounds are checked.
    """

    maze: Literal["medium", "large", "giant", "teleport"]
    kind: Literal["navigate", "stitch"]
    variant: Annotated[str, OneOf(tuple(VARIANTS))] = WHOLE.name
    divisor: PositiveInt = 1
    episodes: NonNegativeInt = EPISODES
    pairs: NonNegativeInt = 0

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        check_settings(self)


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return no jobs for `reproduce`: they take an hour, and their rows are kept."""
    del quick
    return []


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each task: how many episodes reached their goal; and one for each pair.

    Args:
        config: settings of the run.
        seed: seed of the data and of the episodes.
    """
    maze = point_maze(config.maze)
    size = max(1, sizes_of(maze, config.kind)[0] // config.divisor)
    log = point_maze_log(maze, config.kind, seed=seed, num_episodes=size)
    world = landmark_world(log, **VARIANTS[config.variant].of_world)
    about = {
        "maze": config.maze,
        "kind": config.kind,
        "variant": config.variant,
        "divisor": config.divisor,
        "seed": seed,
        "landmarks": world.num_states,
    }
    for task in range(len(maze.tasks) if config.episodes else 0):
        rng = np.random.default_rng([seed, task, 1])
        yield {**about, "task": task + 1, **_attempts(world, maze, task, config, rng)}
    rng = np.random.default_rng([seed, 2])
    for row in checked_bounds(world, maze, config.pairs, rng):
        yield {**about, **row}


def _attempts(
    world: LandmarkWorld, maze: PointMaze, task: int, config: Config, rng: np.random.Generator
) -> Row:
    start, goal = maze.tasks[task]
    starts = maze.scattered([start] * config.episodes, rng)
    goals = maze.scattered([goal] * config.episodes, rng)
    agents = [_agent(config, world, each) for each in goals]
    # A goal to which no data lead is refused, and counts as not reached.
    known = [number for number, agent in enumerate(agents) if agent is not None]
    agents = [agent for agent in agents if agent is not None]

    def act(seen: np.ndarray, running: np.ndarray) -> np.ndarray:
        pairs = zip(seen, running, strict=True)
        return np.stack([agents[number].predict(each)[0] for each, number in pairs])

    limits = {"max_steps": MAX_STEPS, "rng": rng}
    arrived, _ = rolled_out(maze, starts[known], goals[known], act, **limits)
    reached = arrived >= 0
    return {
        "episodes": config.episodes,
        "reached": int(reached.sum()),
        "steps": float(arrived[reached].mean().round(1)) if reached.any() else None,
        "replans": sum(agent.replans for agent in agents) / config.episodes,
    }


def _agent(config: Config, world: LandmarkWorld, goal: np.ndarray) -> GoalAgent | None:
    try:
        return GoalAgent(plan_of(VARIANTS[config.variant], world, goal))
    except InputError:
        return None
