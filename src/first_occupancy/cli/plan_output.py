"""How `first-occupancy plan` shows tours and trips: legs, a picture, and what they achieve."""

import itertools

import numpy as np

from first_occupancy.environments.arrows import SYMBOLS
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.collection import Collection
from first_occupancy.planning.legs import follow
from first_occupancy.planning.world_tours import Tour, Way

PLAIN = str.maketrans("↑→↓←↗↘↙↖█·", "^>v</\\/\\#.")
"""Replacements for terminals that can print ASCII only."""

CERTAIN = 1e-6
"""Probabilities of missing a goal below this are not told."""


def as_text(tour: Tour | Collection, world: Maze, encoding: str | None) -> str:
    """Return the legs, what following them achieves, and the picture, in ASCII if need be."""
    drawn = picture(tour, world)
    try:
        drawn.encode(encoding or "ascii")
    except UnicodeEncodeError:
        drawn = drawn.translate(PLAIN)
    totals = _totals(tour) if isinstance(tour, Tour) else _collected(tour)
    return "\n".join([*_leg_lines(tour, world), *totals, "", drawn])


def picture(tour: Tour | Collection, world: Maze) -> str:
    """Return a drawing of the maze with the path in it, one character per cell."""
    grid = np.where(world.free, "·", "█").astype("<U1")
    for way in tour.ways:
        for leg, path in zip(way.legs, likely_paths(way, world), strict=True):
            for state in path[:-1]:
                grid[world.cell(state)] = SYMBOLS[world.action_names[leg.policy]]
    grid[world.cell(tour.start)] = "S"
    for number, goal in enumerate(tour.order, start=1):
        alone = len(tour.order) == 1
        grid[world.cell(goal)] = "G" if alone else "123456789"[number - 1 : number] or "G"
    return "\n".join("".join(row) for row in grid)


def likely_paths(way: Way, world: Maze) -> list[list[int]]:
    """Return the states that each leg passes if no noise interferes, both ends included."""
    return follow(way.legs, way.begin, world.next_states)


def _leg_lines(tour: Tour | Collection, world: Maze) -> list[str]:
    lines = [f"from {world.cell(tour.start)}"]
    for way in tour.ways:
        end = "  start" if way.goal not in tour.order else "  goal"
        for leg, path in zip(way.legs, likely_paths(way, world), strict=True):
            name, where = world.action_names[leg.policy], str(world.cell(leg.subgoal))
            about = _by_chance(world, path) if world.noise else _long(world, path)
            goal = end if leg.subgoal == way.goal else ""
            lines.append(f"{len(lines):3d}. {name:<10} until {where:<9} {about}{goal}".rstrip())
        if not way.legs and way.begin != way.goal:
            lines.append(f"     no legs to {world.cell(way.goal)}: look the plan up in every cell")
    return lines


def _long(world: Maze, path: list[int]) -> str:
    """Return how long a leg is, which is certain without noise."""
    steps = len(path) - 1
    text = f"{steps:3d} steps" if steps != 1 else "  1 step "
    times = world.entry_times
    return text if times is None else f"{text.rstrip()}, time {times[path[1:]].sum():g}"


def _by_chance(world: Maze, path: list[int]) -> str:
    """Return whether chance, rather than single moves, leads along a path."""
    walk = all(after in world.next_states[:, here] for here, after in itertools.pairwise(path))
    return "" if walk else "by chance"


def _totals(tour: Tour) -> list[str]:
    bound = "" if tour.known == "exact" else f" ({tour.known})"
    order = f" (order not proven optimal: the best is at most {100 * tour.gap:.1f}% shorter)"
    lines = [
        f"expected discount {tour.expected_discount:.4g}{bound}, "
        f"log {tour.log_expected_discount:.4f}{'' if tour.proven_optimal else order}"
    ]
    if any(way.plan.exceeds_promise for way in tour.ways):
        logs = [float(way.plan.log_promised[way.begin]) for way in tour.ways]
        lines.append(f"promised by the legs {np.exp(sum(logs)):.4g}")
    sure = tour.probability > 1 - CERTAIN
    arrives = "" if sure else f"arrives with probability {tour.probability:.4g}, "
    given = "" if sure else ", given arrival"
    return [*lines, f"{arrives}expected time {tour.expected_time:.6g}{given}"]


def _collected(trip: Collection) -> list[str]:
    bound = f"no strategy collects more than {trip.upper_bound:.4g}"
    return [*repr(trip).splitlines(), f"  {bound} ({trip.gap:.2%} above)"]


def joined_paths(tour: Tour | Collection, world: Maze) -> list[list[int]]:
    """Return the states that each way passes if no noise interferes, for figures."""
    return [
        [way.begin, *(state for path in likely_paths(way, world) for state in path[1:])]
        for way in tour.ways
    ]
