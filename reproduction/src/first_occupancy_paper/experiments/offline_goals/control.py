"""Skills and landmarks beside value iteration on a fine grid, from the same starts.

Both are measured by acting in the true world: the discount at which each start reaches the region.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from first_occupancy.continuous.landmark_worlds import LandmarkWorld
from first_occupancy.continuous.region_plans import RegionPlan, plan_to_region
from first_occupancy.continuous.skill_worlds import acted, skill_episodes, skill_world
from first_occupancy.core.arguments import NonNegativeInt, PositiveInt
from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments.offline_goals.control_tasks import CONTROL_TASKS, ControlTask
from first_occupancy_paper.experiments.offline_goals.fine_grids import FineGrid, Region
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import OneOf, Settings
from first_occupancy_paper.worlds.classic_control import ClassicControl

DISCOUNT = 0.99
"""Discount per step."""

SHARE = 0.95
"""Share of the discount of value iteration that skills are to get."""

COARSER = 1.5
"""The second grid has so many times fewer nodes along each axis."""

MANY = 1_000_000
"""Grids with more nodes start from the values of a coarser grid."""

Act = Callable[[Array, Bool[np.ndarray, " B"]], np.ndarray]
"""A function from states, and whether each is still under way, to actions."""


@dataclass(frozen=True)
class ControlConfig(Settings):
    """One world of classic control.

    Attributes:
        control: world.
        starts: random starts for each region.
        regions: number of regions, evenly taken from all; 0 for all.
        divisor: divides the episodes, landmarks and nodes of the grid, for tests.
        part: what to run: grids of a hundred million nodes need a GPU, skills do not, so their rows
            may come from different runs (`joined`).
        log_seed: seed of the log of skills, if it is not that of the starts: starts whose grids
            were run serve for several logs.
    """

    control: Annotated[str, OneOf(tuple(CONTROL_TASKS))]
    starts: PositiveInt = 100
    regions: NonNegativeInt = 0
    divisor: PositiveInt = 1
    part: Literal["both", "skills", "grids"] = "both"
    log_seed: NonNegativeInt | None = None


def run_control(config: ControlConfig, seed: int) -> Iterator[Row]:
    """Yield a row for each region: discounts of the plan over skills and of two grids, by start.

    Args:
        config: settings of the run.
        seed: seed of the starts, and of the log of skills unless the settings name another.
    """
    task, log_seed = CONTROL_TASKS[config.control], config.log_seed
    known = None
    if config.part != "grids":
        known = _tried(task, config, seed if log_seed is None else log_seed)
    starts = task.world.starts(np.random.default_rng([seed, 3]), config.starts)
    numbers = np.arange(len(task.regions))
    if config.regions:
        numbers = numbers[:: max(1, len(numbers) // config.regions)][: config.regions]
    for number in numbers.tolist():
        found = {}
        if known is not None:
            found["skills"] = _by_skills(task, known, task.regions[number], starts)
        if config.part != "skills":
            found["grid"] = _by_grid(config, number, 1.0, starts)
            found["coarser"] = _by_grid(config, number, COARSER, starts)
        about = {"control": config.control, "seed": seed, "region": number}
        about |= {} if log_seed is None else {"log_seed": log_seed}
        yield about | {name: each.round(6).tolist() for name, each in found.items()}


def joined(rows: Sequence[Row]) -> list[Row]:
    """Return one row for each world, seed and region: means, and the spread of the lead.

    Of the two grids the better one counts, start by start: greedy policies may get stuck.

    Args:
        rows: rows of `run_control`, of both parts, in any order; those that lack a part are left
            out. Skills of a log with a seed of its own take precedence: a later test.
    """
    parts: dict[tuple[str, int, int], dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: "log_seed" in row):
        parts.setdefault((row["control"], row["seed"], row["region"]), {}).update(row)
    return [_means(row) for row in parts.values() if {"skills", "grid", "coarser"} <= set(row)]


def _means(row: Row) -> Row:
    found = {name: np.array(row[name]) for name in ("skills", "grid", "coarser")}
    found["grid"] = np.maximum(found["grid"], found["coarser"])
    lead = found["skills"] - SHARE * found["grid"]
    return {
        **row,
        "starts": len(lead),
        **{name: float(each.mean()) for name, each in found.items()},
        "spread": float(lead.std(ddof=1)) if len(lead) > 1 else 0.0,
    }


def walk_control(config: ControlConfig, seed: int, region: int) -> Row:
    """Return the states through which the plan over skills goes from the first start, for figures.

    Args:
        config: settings of the run.
        seed: seed of the log of skills and of the start, as in `run_control`.
        region: number of the region to reach.
    """
    task = CONTROL_TASKS[config.control]
    known, inside = _tried(task, config, seed), task.regions[region]
    plan = plan_to_region(known, inside, discount=DISCOUNT, lookahead=task.lookahead)
    act = _actor(task, known, plan)
    states = jnp.asarray(task.world.starts(np.random.default_rng([seed, 3]), config.starts)[:1])
    walk = [np.asarray(states)[0].tolist()]
    for _ in range(task.max_steps):
        if np.asarray(inside(np.asarray(task.world.observe(states))))[0]:
            break
        actions = act(states, np.ones(1, bool))
        states = task.world.step(states, jnp.asarray(actions, states.dtype))
        walk.append(np.asarray(states)[0].tolist())
    return {"walk": config.control, "seed": seed, "region": region, "states": walk}


def _tried(task: ControlTask, config: ControlConfig, seed: int) -> LandmarkWorld:
    log = skill_episodes(
        task.world,
        task.skills,
        num_episodes=task.num_episodes // config.divisor,
        num_steps=task.num_steps,
        seed=seed,
    )
    size = task.num_landmarks // config.divisor
    return skill_world(log, task.skills, num_landmarks=size, hold=task.hold, seed=seed)


def _by_skills(
    task: ControlTask, known: LandmarkWorld, inside: Region, starts: Float[np.ndarray, "B K"]
) -> Float[np.ndarray, " B"]:
    try:
        plan = plan_to_region(known, inside, discount=DISCOUNT, lookahead=task.lookahead)
    except InputError:  # No data lead there: nothing is reached.
        return np.zeros(len(starts))

    act = _actor(task, known, plan)
    return realised(task.world, starts, inside, act, max_steps=task.max_steps)


def _actor(task: ControlTask, known: LandmarkWorld, plan: RegionPlan) -> Act:
    def act(states: Array, running: Bool[np.ndarray, " B"]) -> np.ndarray:
        seen, actions = np.asarray(task.world.observe(states))[running], np.zeros(len(running))
        chosen = plan.choose(seen)
        each = np.stack([acted(skill, seen) for skill in known.skills])
        actions[running] = each[chosen, np.arange(len(seen))]
        return actions

    return act


def _by_grid(
    config: ControlConfig, number: int, coarser: float, starts: Float[np.ndarray, "B K"]
) -> Float[np.ndarray, " B"]:
    task = CONTROL_TASKS[config.control]
    coarser = coarser * config.divisor ** (1 / len(task.grid))
    grid, values = _grid(config.control, coarser), _grid_values(config.control, coarser, number)
    inside = task.regions[number]

    def act(states: Array, running: Bool[np.ndarray, " B"]) -> np.ndarray:
        del running
        best = grid.ahead(values, np.asarray(states), inside).argmax(axis=0)
        return np.asarray(grid.actions)[best]

    # Interpolation leaks a little value into states from which nothing leads to the region: less
    # than the discount of twice the steps allowed.
    if grid.ahead(values, starts, inside).max() < DISCOUNT ** (2 * task.max_steps):
        return np.zeros(len(starts))
    return realised(task.world, starts, inside, act, max_steps=task.max_steps)


@lru_cache(maxsize=8)
def _grid(control: str, coarser: float) -> FineGrid:
    return CONTROL_TASKS[control].fine_grid(coarser)


@lru_cache(maxsize=256)
def _grid_values(control: str, coarser: float, number: int) -> Float[Array, " M"]:
    """Return the values of a region; starts of other seeds use them again.

    Many nodes begin with the values of a grid of half as many along each axis.
    """
    grid, begin = _grid(control, coarser), None
    if grid.num_nodes > MANY:
        begin = grid.taken_from(
            _grid(control, 2 * coarser), _grid_values(control, 2 * coarser, number)
        )
    return grid.values(CONTROL_TASKS[control].regions[number], discount=DISCOUNT, begin=begin)


def realised(
    world: ClassicControl,
    starts: Float[np.ndarray, "B K"],
    inside: Region,
    act: Act,
    *,
    max_steps: int,
) -> Float[np.ndarray, " B"]:
    """Return the discount at which each start reaches a region; 0 if it does not.

    Args:
        world: world to act in.
        starts: first states.
        inside: whether observations lie in the region.
        act: function from states, and whether each is still under way, to actions; those of
            states that have arrived do not matter.
        max_steps: steps after which a start has failed.
    """
    states, times = jnp.asarray(starts), np.full(len(starts), np.inf)
    for time in range(max_steps + 1):
        arrived = np.asarray(inside(np.asarray(world.observe(states))))
        times[arrived & np.isinf(times)] = time
        if np.isfinite(times).all() or time == max_steps:
            break
        # Those that have arrived go on, so that every batch has one shape.
        states = world.step(states, jnp.asarray(act(states, np.isinf(times)), states.dtype))
    return np.where(np.isfinite(times), DISCOUNT ** np.nan_to_num(times, posinf=0.0), 0.0)
