"""Certificates against rollouts: what an agent realises from random starts to random goals."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from first_occupancy.continuous.certificates import bounds
from first_occupancy.continuous.goal_plans import GoalAgent, GoalPlan, plan_to_observation
from first_occupancy.continuous.landmark_worlds import LandmarkWorld
from first_occupancy.environments.point_maze_logs import rolled_out
from first_occupancy.environments.point_mazes import GOAL_RADIUS, PointMaze
from first_occupancy.experiments import Row

DISCOUNT = 0.998
"""Discount per step; a way of 350 steps halves it."""

ROLLOUTS = 100
"""Rollouts of each pair, where chance has a part in it."""

MAX_STEPS = 2000
"""Steps after which a rollout counts as never arriving."""


def checked_bounds(
    world: LandmarkWorld,
    maze: PointMaze,
    pairs: int,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Yield a row for each pair of recorded observations: bounds, and what was realised.

    Agents and mazes are deterministic, except for teleporters: if the first rollout meets none,
    all others are the same, and are not run.

    Args:
        world: world of landmarks.
        maze: maze that its log is from.
        pairs: number of pairs.
        rng: source of randomness.
    """
    places = world.model.places
    radius = GOAL_RADIUS / float(np.mean(world.model.scale))
    for _ in range(pairs):
        start, goal = places[rng.integers(len(places), size=2)] * world.model.scale
        plan = plan_to_observation(world, goal, discount=DISCOUNT, radius=radius)
        low, high = bounds(plan, start)
        real, count = _realised(plan, maze, start, rng)
        yield {"low": low, "high": high, "real": real, "rollouts": count}


def _realised(
    plan: GoalPlan,
    maze: PointMaze,
    start: Float[np.ndarray, " 2"],
    rng: np.random.Generator,
) -> tuple[float, int]:
    if np.linalg.norm(start - plan.goal) <= GOAL_RADIUS:
        return 1.0, 1
    gains, trace = _rolled(plan, maze, start, 1, rng)
    jumped = np.linalg.norm(np.diff(trace[:, 0], axis=0), axis=1).max() > 1
    if not jumped:
        return float(gains.mean()), 1
    gains, _ = _rolled(plan, maze, start, ROLLOUTS, rng)
    return float(gains.mean()), ROLLOUTS


def _rolled(
    plan: GoalPlan,
    maze: PointMaze,
    start: Float[np.ndarray, " 2"],
    count: int,
    rng: np.random.Generator,
) -> tuple[Float[np.ndarray, " B"], Float[np.ndarray, "T B 2"]]:
    agents = [GoalAgent(plan) for _ in range(count)]

    def act(seen: np.ndarray, running: np.ndarray) -> np.ndarray:
        pairs = zip(seen, running, strict=True)
        return np.stack([agents[number].predict(each)[0] for each, number in pairs])

    starts, goals = np.tile(start, (count, 1)), np.tile(plan.goal, (count, 1))
    arrived, trace = rolled_out(maze, starts, goals, act, max_steps=MAX_STEPS, rng=rng)
    return np.where(arrived >= 0, DISCOUNT ** np.maximum(arrived, 0.0), 0.0), trace
