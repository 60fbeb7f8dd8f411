"""Success of plans over landmarks in OGBench's ant mazes, with a low level that was learned.

    python -m first_occupancy_paper.experiments.offline_goals.ants WALKER FILE --maze giant

makes a log with the walker, plans over its landmarks, and acts in OGBench's own environment, by its
rules. Rows are appended to FILE, one JSON object a line. It needs the extra `ogbench`.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.landmark_worlds import LandmarkWorld, landmark_world
from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.walkers.walking import Walker, load_walker
from first_occupancy_paper.worlds.ant_mazes import HOLD, ant_maze_log
from first_occupancy_paper.worlds.ogbench_ants import ant_maze, walked_to
from first_occupancy_paper.worlds.point_mazes import POINT_MAZES

STRIDE = 1.0
"""Distance of landmarks in typical steps: with commands held for `HOLD` steps, steps are long."""

NUM_ACTIONS = 17
"""Prototype directions."""


def ant_rows(
    maze: str,
    kind: Literal["navigate", "stitch"],
    walker: Walker,
    *,
    seed: int,
    episodes: int = 50,
    num_episodes: int | None = None,
    threads: int | None = None,
    digest: str = "",
) -> Iterator[Row]:
    """Yield a row for each task: how many episodes reached their goal.

    Args:
        maze: name of the maze.
        kind: how the log is recorded, "navigate" or "stitch".
        walker: low level, for the log and for acting.
        seed: seed of the log and of the episodes.
        episodes: episodes of each task.
        num_episodes: episodes of the log; None for as many as OGBench has.
        threads: simulation threads of the log, by default one per processor.
        digest: which walker it is, for the rows.
    """
    environment = ant_maze(maze)
    model = environment.unwrapped.model
    shape = POINT_MAZES[maze]
    sizes = {"seed": seed, "num_episodes": num_episodes, "threads": threads}
    log = ant_maze_log(shape, model, walker.controls, kind, **sizes)
    world = landmark_world(log, stride=STRIDE, num_actions=NUM_ACTIONS, at_most=5000)
    about = {
        "walker": digest,
        "maze": maze,
        "kind": kind,
        "seed": seed,
        "landmarks": world.num_states,
        "transitions": len(log),
        "step": float(np.linalg.norm(world.model.scale) / 2**0.5),
    }
    for task in range(1, len(shape.tasks) + 1):
        found = [
            _one(environment, world, walker, task, 1000 * seed + number)
            for number in range(episodes)
        ]
        steps = [each for each in found if each is not None and each >= 0]
        yield {
            **about,
            "task": task,
            "episodes": episodes,
            "unplanned": found.count(None),
            "reached": len(steps),
            "steps": float(np.mean(steps).round(1)) if steps else None,
        }


def _one(
    environment: Any, world: LandmarkWorld, walker: Walker, task: int, seed: int
) -> int | None:
    """Return after how many steps an episode succeeded; -1 if it did not, None without a plan."""
    # OGBench draws starts and goals from the global state of NumPy.
    np.random.seed(seed)  # noqa: NPY002
    observation, info = environment.reset(seed=seed, options={"task_id": task})
    try:
        planner = world.planner(1.0, frs=False)
        agent = plan_to_observation(world, info["goal"][:2], planner=planner).agent()
    except InputError:  # no data lead to the goal
        return None
    return walked_to(environment, observation, agent, walker.controls, hold=HOLD)


def main() -> None:
    """Run one maze, and append its rows to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("walker", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--maze", default="medium", choices=("medium", "large", "giant"))
    parser.add_argument("--kind", default="navigate", choices=("navigate", "stitch"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--log-episodes", type=int, dest="num_episodes")
    parser.add_argument("--threads", type=int)
    options = vars(parser.parse_args())
    path, kept = options.pop("walker"), options.pop("file")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    rows = ant_rows(walker=load_walker(path), digest=digest, **options)
    for row in rows:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
