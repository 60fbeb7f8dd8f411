"""Following plans: simulations of their options, and their exact values."""

from collections.abc import Iterator

import jax
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import constant_policies
from first_occupancy.core.axes import PRNGKey
from first_occupancy.environments import Maze
from first_occupancy.planning import frp
from first_occupancy.planning.evaluation import evaluate, rechoosing_policy
from first_occupancy.planning.options import Option, execute, from_plan
from first_occupancy.planning.plans import Plan
from first_occupancy_paper.rows.row import Row

TIME_LIMIT = 75
"""Number of steps of an episode in the paper."""

MOST_OPTIONS = 8
"""Number of options to which all plans are padded, so that one compiled walk serves them all."""


def simulate(
    plan: Plan, world: Maze, key: PRNGKey, *, discount: float, episodes: int, steps: int
) -> Iterator[Row]:
    """Yield a row for each way to follow a plan from the world's start: the arrivals in episodes.

    Each option is followed until it ends, or the plan is looked up again at every step.

    Args:
        plan: plan to follow.
        world: world in which to follow it; must have a start.
        key: JAX random key.
        discount: discount factor per step, from 0 to 1 (exclusive).
        episodes: number of episodes for each way.
        steps: number of steps of each episode.
    """
    assert world.start is not None
    start, policies = world.start, constant_policies(world.mdp)
    subgoals = [leg.subgoal for leg in plan.legs(start)]
    lookup = rechoosing_policy(plan, policies)
    at_goal = jax.nn.one_hot(plan.goal, world.num_states)
    ways = {
        "leg_by_leg": (from_plan(plan, policies, start), subgoals),
        "rechoosing": ([Option(lookup, at_goal)], subgoals[-1:]),
    }

    def walk(options: list[Option], key: PRNGKey) -> Array:
        filled = options + options[-1:] * (MOST_OPTIONS - len(options))
        return execute(filled, world.mdp, key, start, num_steps=steps).states

    for way_key, (way, (options, ends)) in zip(jax.random.split(key), ways.items(), strict=True):
        keys = jax.random.split(way_key, episodes)
        walks = jax.vmap(lambda key, options=options: walk(options, key))(keys)
        times = _times_through(np.asarray(walks), ends)
        yield {"way": way, **_summary(times, steps, discount)}


def worth_of_all(frs: Float[Array, "N S S"], world: Maze, *, discount: float, goal: int) -> Row:
    """Return the exact values of the plans from all states to all goals, relative to the optimum.

    Args:
        frs: FRs of the world's one-action policies.
        world: world in which to follow the plans; must have a start.
        discount: discount factor per step, between 0 and 1 (both exclusive).
        goal: state to reach from the start, for which the values themselves are returned too.
    """
    plans = frp.plan_to_every_goal(frs).on_host()
    goals = range(world.num_states)
    exact = [evaluate(plans.to(each), world, discount=discount) for each in goals]
    optimal = np.stack([each.optimal for each in exact])
    elsewhere = ~np.eye(world.num_states, dtype=bool)
    row = {"pairs": int(elsewhere.sum()), "optimal": float(optimal[goal, world.start])}
    ways = {
        "leg_by_leg": [each.leg_by_leg for each in exact],
        "rechoosing": [each.expected_discount for each in exact],
    }
    for way, values in ways.items():
        worth = np.stack(values)
        share = (worth / optimal)[elsewhere]
        row |= {
            way: float(worth[goal, world.start]),
            f"{way}_mean_share": float(share.mean()),
            f"{way}_least_share": float(share.min()),
        }
    return row


def _times_through(walks: Int[np.ndarray, "B T"], subgoals: list[int]) -> Int[np.ndarray, " B"]:
    """Return when each walk has visited all subgoals in order; T if it never has.

    Passing through the goal on the way to a subgoal does not count: the options do not end
    there, and the product of FRs ignores it.
    """
    times = np.arange(walks.shape[1])
    reached = np.zeros(len(walks), dtype=int)
    for subgoal in subgoals:
        later = (walks == subgoal) & (times[None, :] >= reached[:, None])
        reached = np.where(later.any(axis=1), later.argmax(axis=1), walks.shape[1])
    return reached


def _summary(times: Int[np.ndarray, " B"], steps: int, discount: float) -> Row:
    """Return mean and variance of the discount over episodes; those that never arrive count 0."""
    arrived = times <= steps
    brought = np.where(arrived, discount ** np.minimum(times, steps), 0.0)
    return {
        "episodes": len(times),
        "arrived": int(arrived.sum()),
        "in_time": int((times <= min(steps, TIME_LIMIT)).sum()),
        "mean": float(brought.mean()),
        "variance": float(brought.var(ddof=1)),
    }
