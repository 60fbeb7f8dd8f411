"""Certificates against rollouts: what an agent realises from random starts to random goals."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from first_occupancy.continuous.certificates import bounds
from first_occupancy.continuous.followers import GoalAgent
from first_occupancy.continuous.goal_plans import GoalPlan, plan_to_observation
from first_occupancy.continuous.landmark_worlds import LandmarkWorld
from first_occupancy_paper.experiments.offline_goals.variants import value_planner
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.worlds.point_mazes import GOAL_RADIUS, PointMaze

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

    Agents and mazes are deterministic, except for teleporters: rollouts that took the same exits
    are the same, and are walked once.

    Args:
        world: world of landmarks.
        maze: maze that its log is from.
        pairs: number of pairs.
        rng: source of randomness.
    """
    places = world.model.places
    radius = GOAL_RADIUS / float(np.mean(world.model.scale))
    for _ in range(pairs):
        chosen = places[rng.integers(len(places), size=2)]
        start, goal = world.model.metric.observations(chosen)
        plan = plan_to_observation(
            world, goal, radius=radius, planner=value_planner(world, DISCOUNT), discount=DISCOUNT
        )
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
    # Rollouts that took the same exits so far are the same, and are walked once.
    ahead = [_Walk(start, start, GoalAgent(plan), 0, ROLLOUTS)]
    gains, jumped = 0.0, False
    while ahead:
        walk = ahead.pop()
        arrived = _walked(walk, plan.goal, maze, rng)
        if arrived:
            gains += walk.count * DISCOUNT**walk.time
        elif walk.time < MAX_STEPS:
            jumped = True
            ahead += _split(walk, maze, rng)
    return gains / ROLLOUTS, ROLLOUTS if jumped else 1


@dataclass
class _Walk:
    """Rollouts that are the same so far.

    Attributes:
        place: where the disc is.
        seen: what is observed there.
        agent: agent, with its memory.
        time: steps taken.
        count: number of rollouts.
    """

    place: Float[np.ndarray, " 2"]
    seen: Float[np.ndarray, " 2"]
    agent: GoalAgent
    time: int
    count: int


def _walked(
    walk: _Walk, goal: Float[np.ndarray, " 2"], maze: PointMaze, rng: np.random.Generator
) -> bool:
    """Go on until the goal, a teleporter or the limit, and return whether it was the goal."""
    while walk.time < MAX_STEPS:
        action, _ = walk.agent.predict(walk.seen)
        seen, place = maze.step(walk.place[None], action[None], rng)
        walk.seen, walk.place, walk.time = seen[0], place[0], walk.time + 1
        if np.linalg.norm(walk.seen - goal) <= GOAL_RADIUS:
            return True
        if (walk.seen != walk.place).any():
            return False
    return False


def _split(walk: _Walk, maze: PointMaze, rng: np.random.Generator) -> list[_Walk]:
    """Return the rollouts that leave each exit, each as likely."""
    exits = maze.centres(maze.exits)
    counts = rng.multinomial(walk.count, np.full(len(exits), 1 / len(exits)))
    return [
        _Walk(place, walk.seen, walk.agent.copy(), walk.time, int(count))
        for place, count in zip(exits, counts, strict=True)
        if count
    ]
