"""Certificates against rollouts: what an agent realises from random starts to random goals."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from first_occupancy.continuous.certificates import bounds
from first_occupancy.continuous.followers import GoalAgent
from first_occupancy.continuous.goal_plans import GoalPlan, plan_to_observation
from first_occupancy.continuous.landmark_worlds import LandmarkWorld
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
            world, goal, radius=radius, planner=world.planner(DISCOUNT, frs=False)
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
    """Return the mean discount of rollouts, and how many there were."""
    if np.linalg.norm(start - plan.goal) <= GOAL_RADIUS:
        return 1.0, 1
    # Observation, place of the disc, its agent, steps so far, and the number of equal rollouts.
    ahead = [(start, start, GoalAgent(plan), 0, ROLLOUTS)]
    gains, split = 0.0, False
    while ahead:
        seen, place, agent, time, count = ahead.pop()
        arrived = jumped = False
        while time < MAX_STEPS and not (arrived or jumped):
            action, _ = agent.predict(seen)
            (seen,), (place,) = maze.step(place[None], action[None], rng)
            time += 1
            arrived = np.linalg.norm(seen - plan.goal) <= GOAL_RADIUS
            jumped = (seen != place).any()
        if arrived:
            gains += count * DISCOUNT**time
        elif time < MAX_STEPS:
            split, exits = True, maze.centres(maze.exits)
            counts = rng.multinomial(count, np.full(len(exits), 1 / len(exits))).tolist()
            ahead += [
                (seen, exit, agent.copy(), time, each)
                for exit, each in zip(exits, counts, strict=True)
                if each
            ]
    return gains / ROLLOUTS, ROLLOUTS if split else 1
