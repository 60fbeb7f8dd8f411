"""Success of agents that plan over landmarks, in OGBench's point mazes and by its rules."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

import numpy as np

from first_occupancy.core.arguments import NonNegativeInt, PositiveInt
from first_occupancy_paper.experiments.offline_goals.bounds import checked_bounds
from first_occupancy_paper.experiments.offline_goals.network_peers import NETWORKS
from first_occupancy_paper.experiments.offline_goals.position_graph import (
    NAME,
    PositionAgents,
    PositionGraph,
)
from first_occupancy_paper.experiments.offline_goals.teams import Networks, Planners, Team
from first_occupancy_paper.experiments.offline_goals.variants import SETTING, VARIANTS, WHOLE
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import OneOf, Settings
from first_occupancy_paper.worlds.point_maze_logs import point_maze_log, rolled_out, sizes_of
from first_occupancy_paper.worlds.point_mazes import PointMaze, point_maze

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


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each task: how many episodes reached their goal; and one for each pair.

    Args:
        config: settings of the run.
        seed: seed of the data, of networks and of the episodes.
    """
    maze = point_maze(config.maze)
    size = max(1, sizes_of(maze, config.kind)[0] // config.divisor)
    log = point_maze_log(maze, config.kind, seed=seed, num_episodes=size)
    about = {
        "maze": config.maze,
        "kind": config.kind,
        "variant": config.variant,
        "divisor": config.divisor,
        "seed": seed,
    }
    if config.variant in NETWORKS:
        learner = NETWORKS[config.variant]
        policy = learner.learn(log, seed, training=learner.sizes(config.updates))
        about |= {"updates": learner.sizes(config.updates).num_updates}
        yield from _tasks(about, maze, config, seed, partial(Networks, policy))
        return
    if config.variant == NAME:
        yield from _tasks(about, maze, config, seed, partial(PositionAgents, PositionGraph(log)))
        return
    variant = VARIANTS[config.variant]
    world = variant.make(log, **{**SETTING, **variant.of_world})
    about |= {"landmarks": world.num_states}
    yield from _tasks(about, maze, config, seed, partial(Planners, variant, world))
    rng = np.random.default_rng([seed, 2])
    for row in checked_bounds(world, maze, config.pairs, rng):
        yield {**about, **row}


def _tasks(
    about: Row, maze: PointMaze, config: Config, seed: int, team_for: Callable[..., Team]
) -> Iterator[Row]:
    for task in range(len(maze.tasks) if config.episodes else 0):
        rng = np.random.default_rng([seed, task, 1])
        start, goal = maze.tasks[task]
        starts = maze.scattered([start] * config.episodes, rng)
        goals = maze.scattered([goal] * config.episodes, rng)
        team = team_for(goals)
        limits = {"max_steps": MAX_STEPS, "rng": rng}
        arrived, _ = rolled_out(maze, starts[team.known], goals[team.known], team.act, **limits)
        reached = arrived >= 0
        yield {
            **about,
            "task": task + 1,
            "episodes": config.episodes,
            "reached": int(reached.sum()),
            "steps": float(arrived[reached].mean().round(1)) if reached.any() else None,
            "replans": team.replans / config.episodes,
        }
