"""Success of agents that plan over landmarks, in OGBench's point mazes and by its rules."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

import numpy as np

from first_occupancy.continuous.followers import GoalAgent
from first_occupancy.core.arguments import NonNegativeInt, PositiveInt
from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments.offline_goals.bounds import checked_bounds
from first_occupancy_paper.experiments.offline_goals.network_peers import NETWORKS
from first_occupancy_paper.experiments.offline_goals.position_graph import (
    NAME,
    PositionAgent,
    PositionGraph,
)
from first_occupancy_paper.experiments.offline_goals.teams import Agents, Networks
from first_occupancy_paper.experiments.offline_goals.variants import (
    SETTING,
    VARIANTS,
    WHOLE,
    plan_of,
)
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import OneOf, Settings
from first_occupancy_paper.worlds.point_maze_logs import point_maze_log, rolled_out, sizes_of
from first_occupancy_paper.worlds.point_mazes import POINT_MAZES, PointMaze

EPISODES = 50
"""Episodes of each task, as in OGBench."""

MAX_STEPS = 1000
"""Steps after which an episode has failed, as in OGBench."""


@dataclass(frozen=True)
class Config(Settings):
    """One set of data and one variant of the method.

    Attributes:
        maze: maze.
        kind: how the data were recorded.
        variant: the method, an ablation of it, a peer, or the control.
        divisor: 1 for as many episodes as OGBench has, 10 for a tenth.
        episodes: episodes of each of the five tasks; 0 for none.
        pairs: pairs of a start and a goal for which bounds are checked, with landmarks alone.
        updates: updates of networks; 0 for as many as each has by default.
    """

    maze: Literal["medium", "large", "giant", "teleport"]
    kind: Literal["navigate", "stitch"]
    variant: Annotated[str, OneOf((*VARIANTS, *NETWORKS, NAME))] = WHOLE.name
    divisor: PositiveInt = 1
    episodes: NonNegativeInt = EPISODES
    pairs: NonNegativeInt = 0
    updates: NonNegativeInt = 0

    def __post_init__(self) -> None:
        """Raise `InputError` for settings that cannot be run."""
        super().__post_init__()
        if self.pairs and self.variant.startswith("mined"):
            raise InputError(
                f"pairs must be 0 for mined skills, whose plans have no bounds, got {self.pairs}"
            )


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each task: how many episodes reached their goal; and one for each pair.

    Args:
        seed: seed of the data, of networks and of the episodes.
    """
    maze = POINT_MAZES[config.maze]
    size = max(1, sizes_of(maze, config.kind)[0] // config.divisor)
    log = point_maze_log(maze, config.kind, seed=seed, num_episodes=size)
    about = {
        "maze": config.maze,
        "kind": config.kind,
        "variant": config.variant,
        "divisor": config.divisor,
        "seed": seed,
    }
    tasks = partial(_tasks, maze=maze, config=config, seed=seed)
    if config.variant in NETWORKS:
        peer = NETWORKS[config.variant]
        updates = config.updates or peer.training.num_updates
        policy = peer.learn(log, seed, training=replace(peer.training, num_updates=updates))
        yield from tasks({**about, "updates": updates}, partial(Networks, policy))
    elif config.variant == NAME:
        yield from tasks(about, partial(Agents, partial(PositionAgent, PositionGraph(log))))
    else:
        variant = VARIANTS[config.variant]
        world = variant.make(log, **{**SETTING, **variant.of_world})

        def agent_of(goal: np.ndarray, number: int) -> GoalAgent:
            del number
            return plan_of(variant, world, goal).agent()

        about |= {"landmarks": world.num_states}
        yield from tasks(about, partial(Agents, agent_of))
        rng = np.random.default_rng([seed, 2])
        for row in checked_bounds(world, maze, config.pairs, rng):
            yield {**about, **row}


def _tasks(
    about: Row,
    team_for: Callable[[np.ndarray], Agents | Networks],
    *,
    maze: PointMaze,
    config: Config,
    seed: int,
) -> Iterator[Row]:
    for task in range(len(maze.tasks) if config.episodes else 0):
        rng = np.random.default_rng([seed, task, 1])
        start, goal = maze.tasks[task]
        starts = maze.scattered([start] * config.episodes, rng)
        goals = maze.scattered([goal] * config.episodes, rng)
        team = team_for(goals)
        starts, goals = starts[team.known], goals[team.known]
        arrived = rolled_out(maze, starts, goals, team.act, max_steps=MAX_STEPS, rng=rng)
        reached = arrived >= 0
        yield {
            **about,
            "task": task + 1,
            "episodes": config.episodes,
            "reached": int(reached.sum()),
            "steps": float(arrived[reached].mean().round(1)) if reached.any() else None,
            "replans": team.replans / config.episodes,
        }
