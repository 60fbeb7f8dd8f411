"""FourRooms with many goals: the best tour, the cost of finding it, and plans as options.

The paper gives the procedure but no example. World and discount are those of the paper's
FourRooms, the FRs are exact, and goals and sizes are our choice.

All n! orders of goals, tried one by one: the paper's procedure, which checks ours.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import factorial
from typing import Literal

import jax
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core import PRNGKey, chain, constant_policies
from first_occupancy.core.arguments import PositiveInt, Share
from first_occupancy.environments import Maze, four_rooms
from first_occupancy.planning import frp, limits, tours
from first_occupancy.representations import first_occupancy
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import PositiveDiscount, Settings, check_least

from . import following


def log_discounts_of_all(
    first: Float[np.ndarray, " G"], between: Float[np.ndarray, "G G"]
) -> Float[np.ndarray, " orders"]:
    """Return the log discount of every order of the goals (the paper's Xi, as logs).

    Args:
        first: log discount from the start to each goal.
        between: log discount from each goal (first axis) to each other (second axis).
    """
    every = np.array(list(permutations(range(len(first)))))
    return first[every[:, 0]] + between[every[:, :-1], every[:, 1:]].sum(axis=1)


def log_discount_of_nearest_first(
    first: Float[np.ndarray, " G"], between: Float[np.ndarray, "G G"]
) -> float:
    """Return the log discount of always going to the nearest remaining goal.

    Args:
        first: log discount from the start to each goal.
        between: log discount from each goal (first axis) to each other (second axis).
    """
    left, ahead, total = set(range(len(first))), first, 0.0
    while left:
        goal = max(sorted(left), key=lambda position: float(ahead[position]))
        total += float(ahead[goal])
        left.remove(goal)
        ahead = between[goal]
    return total


Frs = Float[Array, "N S S"]
Part = Literal["tour", "orders", "options", "worth"]

GOAL_CELLS = ((1, 1), (3, 4), (1, 8), (4, 7), (9, 9), (7, 6), (6, 3))
"""Goals as (row, column): two in each room, but one in the room of the start."""

LARGEST_TRIED = 8
"""Largest number of goals of which all n! orders are tried."""


@dataclass(frozen=True)
class Config(Settings):
    """One part of the experiment; each part uses only some of the settings.

    Attributes:
        part: which part of the experiment to run.
        discount: discount factor per step, between 0 and 1 (both exclusive).
        noises: probabilities that a move is replaced by a random one.
        trials: sets of goals for each number of goals ("orders"), or episodes ("options").
        steps: number of steps of an episode; arriving later would yield less than 0.0005.
    """

    part: Part
    discount: PositiveDiscount = 0.95
    noises: tuple[Share, ...] = (0.0, 0.2)
    trials: PositiveInt = 1
    steps: PositiveInt = 150

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        super().__post_init__()
        if self.part == "options":  # the variance over episodes needs two of them
            check_least(self, trials=2)


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return all parts; if quick, with fewer sets of goals and episodes."""
    sets, episodes = (3, 200) if quick else (25, 2000)
    return [
        (Config("options", trials=episodes), 1 if quick else 2),
        (Config("worth"), 1),
        (Config("tour", noises=(0.0,)), 1),
        # With noise the way back differs from the way there, so orders do not tie by symmetry.
        (Config("orders", noises=(0.2,), trials=sets), 1),
    ]


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield the rows of one part for each noise, with the part's name.

    Args:
        seed: seed of the random numbers; parts "tour" and "worth" use none.
    """
    for noise in config.noises:
        world = four_rooms(noise)
        frs = first_occupancy.solve(
            chain(world.mdp, constant_policies(world.mdp)), discount=config.discount
        )
        for row in PARTS[config.part](config, world, frs, jax.random.key(seed)):
            yield {"part": config.part, "noise": noise, **row}


def run_tour(config: Config, world: Maze, frs: Frs, key: PRNGKey) -> Iterator[Row]:
    """Yield one row: the best tour compared with the worst, the average and the greedy one."""
    del key
    assert world.start is not None
    goals = [world.state(*cell) for cell in GOAL_CELLS]
    every = frp.plan_to_every_goal(frs)
    plans = [every.to(goal) for goal in goals]
    logs = np.stack([plan.log_promised for plan in plans], axis=1)
    best = tours.best_order(world.start, goals, logs)
    all_logs = log_discounts_of_all(logs[world.start], logs[goals])
    ways = pairwise([world.start, *best.order])
    yield {
        "goals": goals,
        "order": list(best.order),
        "legs": [[*map(list, plans[goals.index(goal)].legs(here))] for here, goal in ways],
        "num_orders": len(all_logs),
        "log_discount": best.log_discount,
        "brute_force": float(all_logs.max()),
        "num_best": int((all_logs > all_logs.max() - 1e-9).sum()),
        "mean_discount": float(np.exp(all_logs).mean()),
        "worst": float(all_logs.min()),
        "mean_log_discount": float(all_logs.mean()),
        "greedy": log_discount_of_nearest_first(logs[world.start], logs[goals]),
        "log_step": float(np.log(config.discount)),
    }


def run_orders(config: Config, world: Maze, frs: Frs, key: PRNGKey) -> Iterator[Row]:
    """Yield a row for each number of goals: additions of both algorithms, and their difference."""
    assert world.start is not None
    every = np.asarray(frp.plan_to_every_goal(frs).log_promised)
    draws = jax.random.uniform(key, (LARGEST_TRIED + 1, config.trials, world.num_states))
    shuffled = np.asarray(draws).argsort(axis=2)
    for count in range(2, limits.EXACT_TOUR_UP_TO + 1):
        gaps = []
        for trial in range(config.trials if count <= LARGEST_TRIED else 0):
            goals = shuffled[count, trial, :count]
            logs = every[goals].T
            tried = log_discounts_of_all(logs[world.start], logs[goals]).max()
            gaps.append(abs(tried - tours.best_order(world.start, goals, logs).log_discount))
        yield {
            "num_goals": count,
            "all_orders": factorial(count) * count,
            "held_karp": 2**count * count**2,
            "sets": len(gaps),
            "largest_gap": float(max(gaps, default=0.0)),
        }


def run_options(config: Config, world: Maze, frs: Frs, key: PRNGKey) -> Iterator[Row]:
    """Yield the options of one plan to the far corner, then the results of simulating them."""
    assert world.start is not None
    plan = frp.plan_to_goal(frs, _far_corner(world))
    legs = [*map(list, plan.legs(world.start))]
    yield {"goal": int(plan.goal), "start": world.start, "legs": legs}
    sizes = {"episodes": config.trials, "steps": config.steps}
    yield from following.simulate(plan, world, key, discount=config.discount, **sizes)


def run_worth(config: Config, world: Maze, frs: Frs, key: PRNGKey) -> Iterator[Row]:
    """Yield the exact values of the plans to all goals, and of the plan of `run_options`."""
    del key
    yield following.worth_of_all(frs, world, discount=config.discount, goal=_far_corner(world))


def _far_corner(world: Maze) -> int:
    return world.state(1, world.free.shape[1] - 2)


PARTS: Mapping[Part, Callable[[Config, Maze, Frs, PRNGKey], Iterator[Row]]] = {
    "tour": run_tour,
    "orders": run_orders,
    "options": run_options,
    "worth": run_worth,
}
