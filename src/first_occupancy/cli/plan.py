"""`first-occupancy plan`: plan through a drawn maze; print legs and a picture, save a figure."""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from first_occupancy.core import InputError, constant_policies
from first_occupancy.core.memory import check_fits
from first_occupancy.environments import EIGHT_MOVES, FOUR_MOVES, Maze, maze
from first_occupancy.environments.arrows import SYMBOLS
from first_occupancy.planning import tours
from first_occupancy.planning.evaluation import Evaluation, evaluate
from first_occupancy.planning.legs import Leg, follow, unroll
from first_occupancy.planning.plan import Planner
from first_occupancy.planning.plans import Plan

PLAIN = str.maketrans("↑→↓←↗↘↙↖█·", "^>v</\\/\\#.")
"""Replacements for terminals that can print ASCII only."""


class Way(NamedTuple):
    """The way to one goal of the tour.

    Attributes:
        plan: plan to the goal.
        legs: legs of the plan from the previous goal, or from the start.
        paths: for each leg the states it passes, both ends included.
    """

    plan: Plan
    legs: list[Leg]
    paths: list[list[int]]


def run(options: argparse.Namespace) -> int:
    """Plan a tour of the goals, print it, and save a figure if `--out` is given."""
    if options.out is not None:
        _check_out(options.out)
    moves = EIGHT_MOVES if options.moves == 8 else FOUR_MOVES
    world = maze(_read(options.maze).splitlines(), moves=moves, noise=options.noise)
    start, goals = _start(world, options.start), _goals(world, options.goal)
    plans = _plans(world, goals, options.discount, options.switches)
    _check_reachable(world, plans, start, options)
    logs = jnp.stack([plans[goal].log_discount for goal in goals], axis=1)
    tour = tours.best_order(start, goals, logs)

    ways, here = [], start
    for goal in tour.order:
        legs = unroll(plans[goal], here)
        ways.append(Way(plans[goal], legs, follow(legs, here, world.next_states)))
        here = goal
    _print_legs(world, start, tour, ways)
    print(picture(world, start, tour.order, ways))
    if world.noise:
        first, base_policies = plans[tour.order[0]], constant_policies(world.mdp)
        result = evaluate(first, world.mdp, base_policies, discount=options.discount)
        _print_cost(world, start, tour.order[0], result)
    if options.out is not None:
        _save(world, start, tour, ways, options.out)
    return 0


def _plans(world: Maze, goals: list[int], discount: float, switches: int | None) -> dict[int, Plan]:
    """Return the plan to each goal."""
    if world.noise:
        _check_memory(world)
    planner = Planner(world, discount=discount)
    return {goal: planner.plan(goal, max_switches=switches) for goal in goals}


def picture(world: Maze, start: int, goals: tuple[int, ...], ways: list[Way]) -> str:
    """Return a drawing of the maze with the path in it, one character per cell.

    Args:
        world: the maze.
        start: state where the path starts.
        goals: goals in the order of the tour.
        ways: the way to each goal, in the same order.
    """
    grid = np.where(world.free, "·", "█").astype("<U1")
    for way in ways:
        for leg, path in zip(way.legs, way.paths, strict=True):
            for state in path[:-1]:
                grid[world.cell(state)] = SYMBOLS[world.action_names[leg.policy]]
    grid[world.cell(start)] = "S"
    for number, goal in enumerate(goals, start=1):
        grid[world.cell(goal)] = "G" if len(goals) == 1 else "123456789"[number - 1 : number] or "G"
    drawn = "\n".join("".join(row) for row in grid)
    return drawn if _can_print(drawn) else drawn.translate(PLAIN)


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _read(path: str) -> str:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: must be a text file, got bytes that are not UTF-8") from None
    if not text.strip("\r\n"):
        raise InputError(f"{path}: must hold a drawing, but is empty")
    return text


def _start(world: Maze, given: str | None) -> int:
    if given is not None:
        return _cell(world, "--start", given)
    if world.start is None:
        raise InputError("maze needs a start: draw an 'S' or give --start ROW,COLUMN")
    return world.start


def _goals(world: Maze, given: list[str] | None) -> list[int]:
    if given is not None:
        return list(dict.fromkeys(_cell(world, "--goal", text) for text in given))
    if not world.goals:
        raise InputError("maze needs a goal: draw a 'G' or give --goal ROW,COLUMN")
    return list(world.goals)


def _cell(world: Maze, option: str, text: str) -> int:
    try:
        row, column = (int(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{option} must be ROW,COLUMN, both from 0, got {text!r}") from None
    try:
        return world.state(row, column)
    except InputError as error:
        raise InputError(f"{option}: {error}") from None


def _check_out(path: str) -> None:
    """Raise, before any work, if a figure cannot be saved there."""
    from first_occupancy.plotting.saving import check_suffix

    if not check_suffix(path).parent.is_dir():
        raise InputError(f"--out must be in an existing folder, got {path!r}")


def _check_memory(world: Maze) -> None:
    """Raise if the dense arrays would not fit in memory: about ten of A x S x S numbers."""
    needed = 10 * world.num_actions * world.num_states**2 * 8
    check_fits("plan with noise", needed, instead="a smaller maze, or --noise 0 for any size,")


def _check_reachable(
    world: Maze, plans: dict[int, Plan], start: int, options: argparse.Namespace
) -> None:
    for goal, plan in plans.items():
        if not bool(plan.reachable[start]):
            raise InputError(
                f"goal {world.cell(goal)} must be reachable from start {world.cell(start)}, but "
                + _why_not(options)
            )


def _why_not(options: argparse.Namespace) -> str:
    if options.discount == 0:
        return "with --discount 0 every goal that takes a step has value 0"
    if options.switches is None:
        return "no sequence of the base policies leads there"
    if options.switches == 0:
        return "no single base policy leads there, and --switches 0 allows no switch"
    return f"no sequence of the base policies leads there with at most {options.switches} switches"


def _print_legs(world: Maze, start: int, tour: tours.Tour, ways: list[Way]) -> None:
    number = 0
    print(f"from {world.cell(start)}")
    for way in ways:
        for leg, path in zip(way.legs, way.paths, strict=True):
            number += 1
            name, steps = world.action_names[leg.policy], len(path) - 1
            goal = "  goal" if leg.subgoal == int(way.plan.goal) else ""
            count = f"{steps:3d} steps" if steps != 1 else "  1 step "
            print(f"{number:3d}. {name:<10} until {world.cell(leg.subgoal)!s:<9} {count}{goal}")
    order = "" if tour.proven_optimal else " (order not proven optimal)"
    print(f"expected discount {tour.discount:.4g}, log {tour.log_discount:.4f}{order}\n")


def _print_cost(world: Maze, start: int, goal: int, result: Evaluation) -> None:
    print(f"\nexpected discount to {world.cell(goal)} when followed under the noise:")
    print(f"  re-choosing at every cell {result.rechoosing[start]:.4f}")
    print(f"  leg by leg, to the end    {result.leg_by_leg[start]:.4f}")
    print(f"  optimum (value iteration) {result.optimal[start]:.4f}")


def _save(world: Maze, start: int, tour: tours.Tour, ways: list[Way], path: str) -> None:
    from first_occupancy.plotting.plan_figures import plan_figure, tour_figure
    from first_occupancy.plotting.saving import save

    if len(ways) == 1:
        figure = plan_figure(world, ways[0].plan, start)
    else:
        figure = tour_figure(world, [_joined(way) for way in ways], tour.order)
    save(figure, path)
    print(f"saved {path}")


def _joined(way: Way) -> list[int]:
    """Return all states of the way; only the goal if the way starts there."""
    if not way.paths:
        return [int(way.plan.goal)]
    return way.paths[0][:1] + [state for path in way.paths for state in path[1:]]
