"""Skills and landmarks beside value iteration on a fine grid, from the same starts.

Both are measured by acting in the true world: the discount at which each start reaches the region.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from first_occupancy.continuous.landmark_worlds import LandmarkWorld
from first_occupancy.continuous.region_plans import plan_to_region
from first_occupancy.continuous.skill_worlds import acted, skill_episodes, skill_world
from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments.offline_goals.control_tasks import CONTROL_TASKS, ControlTask
from first_occupancy_paper.experiments.offline_goals.fine_grids import FineGrid, Region
from first_occupancy_paper.rows.row import Row, grouped, where

DISCOUNT = 0.99
"""Discount per step."""

SHARE = 0.95
"""Share of the discount of value iteration that skills are to get."""

COARSER = 1.5
"""The second grid has so many times fewer nodes along each axis."""

MANY = 1_000_000
"""Grids with more nodes start from the values of a coarser grid."""

STARTS = 100
"""Random starts for each region."""

Act = Callable[[Array, Bool[np.ndarray, " B"]], np.ndarray]
"""A function from states, and whether each is still under way, to actions."""


def skill_rows(control: str, seed: int, *, starts: int = STARTS, divisor: int = 1) -> Iterator[Row]:
    """Yield a row for each region: discounts of the plan over skills, by start.

    Args:
        control: name of the world.
        seed: seed of the starts, and of the log of skills.
        starts: random starts for each region.
        divisor: divides the episodes and landmarks, for tests.
    """
    task = CONTROL_TASKS[control]
    known, states = _tried(task, seed, divisor), _starts(task, seed, starts)
    for number, inside in enumerate(task.regions):
        try:
            found = realised(task, states, inside, _by_skills(task, known, inside))
        except InputError:  # No data lead there: nothing is reached.
            found = np.zeros(starts)
        yield _row(control, seed, number, skills=found)


def grid_rows(control: str, seed: int, *, starts: int = STARTS, divisor: int = 1) -> Iterator[Row]:
    """Yield a row for each region: discounts of two grids, by start.

    Grids of a hundred million nodes need a GPU, skills do not, so their rows may come from
    different runs (`joined`).

    Args:
        control: name of the world.
        seed: seed of the starts.
        starts: random starts for each region.
        divisor: divides the nodes of the grid, for tests.
    """
    task, fewer = CONTROL_TASKS[control], divisor ** (1 / len(CONTROL_TASKS[control].grid))
    states = _starts(task, seed, starts)
    for number in range(len(task.regions)):
        grid, coarser = (
            _by_grid(control, each, number, states) for each in (fewer, COARSER * fewer)
        )
        yield _row(control, seed, number, grid=grid, coarser=coarser)


def _row(control: str, seed: int, region: int, **discounts: Float[np.ndarray, " B"]) -> Row:
    lists = {name: each.round(6).tolist() for name, each in discounts.items()}
    return {"control": control, "seed": seed, "region": region, **lists}


def joined(rows: Sequence[Row]) -> list[Row]:
    """Return one row for each world, seed and region: means, and the spread of the lead.

    Of the two grids the better one counts, start by start: greedy policies may get stuck.

    Args:
        rows: rows of skills and grids, in any order; those that lack the other part are left out.
    """
    groups = grouped(rows, "control", "seed", "region").values()
    whole = [{name: row[name] for row in own for name in row} for own in groups]
    return [_means(row) for row in where(whole, "skills", "grid", "coarser")]


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


def walk_control(
    control: str, seed: int, region: int, *, starts: int = STARTS, divisor: int = 1
) -> Row:
    """Return the states through which the plan over skills goes from the first start, for figures.

    Args:
        control: name of the world.
        seed: seed of the log of skills and of the start, as in `skill_rows`.
        region: number of the region to reach.
        starts: random starts for each region, as in `skill_rows`.
        divisor: divides the episodes and landmarks, for tests.
    """
    task = CONTROL_TASKS[control]
    first, inside = _starts(task, seed, starts)[:1], task.regions[region]
    act = _by_skills(task, _tried(task, seed, divisor), inside)
    states = [np.asarray(each)[0].tolist() for each, _ in _followed(task, first, inside, act)]
    return {"walk": control, "seed": seed, "region": region, "states": states}


def _starts(task: ControlTask, seed: int, size: int) -> Float[np.ndarray, "B K"]:
    return task.world.starts(np.random.default_rng([seed, 3]), size)


def _tried(task: ControlTask, seed: int, divisor: int) -> LandmarkWorld:
    log = skill_episodes(
        task.world,
        task.skills,
        num_episodes=task.num_episodes // divisor,
        num_steps=task.num_steps,
        seed=seed,
    )
    size = task.num_landmarks // divisor
    return skill_world(log, task.skills, num_landmarks=size, hold=task.hold, seed=seed)


def _by_skills(task: ControlTask, known: LandmarkWorld, inside: Region) -> Act:
    plan = plan_to_region(known, inside, discount=DISCOUNT, lookahead=task.lookahead)

    def act(states: Array, running: Bool[np.ndarray, " B"]) -> np.ndarray:
        seen, actions = np.asarray(task.world.observe(states))[running], np.zeros(len(running))
        chosen = plan.choose(seen)
        each = np.stack([acted(skill, seen) for skill in known.skills])
        actions[running] = each[chosen, np.arange(len(seen))]
        return actions

    return act


def _by_grid(
    control: str, coarser: float, number: int, starts: Float[np.ndarray, "B K"]
) -> Float[np.ndarray, " B"]:
    task, inside = CONTROL_TASKS[control], CONTROL_TASKS[control].regions[number]
    grid, values = _grid(control, coarser), _grid_values(control, coarser, number)

    def act(states: Array, running: Bool[np.ndarray, " B"]) -> np.ndarray:
        del running
        best = grid.ahead(values, np.asarray(states), inside).argmax(axis=0)
        return np.asarray(grid.actions)[best]

    # Interpolation leaks a little value into states from which nothing leads to the region: less
    # than the discount of twice the steps allowed.
    if grid.ahead(values, starts, inside).max() < DISCOUNT ** (2 * task.max_steps):
        return np.zeros(len(starts))
    return realised(task, starts, inside, act)


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
    task: ControlTask, starts: Float[np.ndarray, "B K"], inside: Region, act: Act
) -> Float[np.ndarray, " B"]:
    """Return the discount at which each start reaches a region; 0 if it does not.

    Args:
        task: world to act in, and the steps after which a start has failed.
        starts: first states.
        inside: whether observations lie in the region.
        act: function from states, and whether each is still under way, to actions; those of
            states that have arrived do not matter.
    """
    arrived = np.array([each for _, each in _followed(task, starts, inside, act)])
    return np.where(arrived[-1], DISCOUNT ** (~arrived).sum(axis=0), 0.0)


def _followed(
    task: ControlTask, starts: Float[np.ndarray, "B K"], inside: Region, act: Act
) -> Iterator[tuple[Array, Bool[np.ndarray, " B"]]]:
    """Yield states, and which have been in the region, until all have or steps are over."""
    states, arrived = jnp.asarray(starts), np.zeros(len(starts), bool)
    for _ in range(task.max_steps + 1):
        arrived = arrived | np.asarray(inside(np.asarray(task.world.observe(states))))
        yield states, arrived
        if arrived.all():
            return
        # Those that have arrived go on, so that every batch has one shape.
        states = task.world.step(states, jnp.asarray(act(states, ~arrived), states.dtype))
