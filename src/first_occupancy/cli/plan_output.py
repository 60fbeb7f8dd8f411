"""How `first-occupancy plan` shows a tour: legs and a picture for people, JSON for programs."""

import itertools
import json
from typing import Any

import numpy as np

from first_occupancy.cli.plan_answer import Answer, Way
from first_occupancy.environments.arrows import SYMBOLS
from first_occupancy.environments.mazes import Maze

FORMAT = 1
"""Version of the JSON, which changes when a field changes its meaning or goes away."""

PLAIN = str.maketrans("↑→↓←↗↘↙↖█·", "^>v</\\/\\#.")
"""Replacements for terminals that can print ASCII only."""


def as_text(answer: Answer, encoding: str | None) -> str:
    """Return the legs, the picture and, under noise, what following the plan achieves.

    Args:
        answer: tour to show.
        encoding: encoding of the terminal; None for ASCII.
    """
    drawn = picture(answer)
    try:
        drawn.encode(encoding or "ascii")
    except UnicodeEncodeError:
        drawn = drawn.translate(PLAIN)
    return "\n".join([*_leg_lines(answer), "", drawn, *_noise_lines(answer)])


def picture(answer: Answer) -> str:
    """Return a drawing of the maze with the path in it, one character per cell."""
    world, goals = answer.question.world, answer.tour.order
    grid = np.where(world.free, "·", "█").astype("<U1")
    for way in answer.ways:
        for leg, path in zip(way.legs, way.paths, strict=True):
            for state in path[:-1]:
                grid[world.cell(state)] = SYMBOLS[world.action_names[leg.policy]]
    grid[world.cell(answer.question.start)] = "S"
    for number, goal in enumerate(goals, start=1):
        grid[world.cell(goal)] = "G" if len(goals) == 1 else "123456789"[number - 1 : number] or "G"
    return "\n".join("".join(row) for row in grid)


def _leg_lines(answer: Answer) -> list[str]:
    world, lines = answer.question.world, []
    for way in answer.ways:
        factors = way.leg_log_discounts()
        for leg, path, factor in zip(way.legs, way.paths, factors, strict=True):
            name = world.action_names[leg.policy]
            long = _chance(world, path, factor) if world.noise else _long(world, path)
            end = "  start" if way.goal not in answer.tour.order else "  goal"
            goal = end if leg.subgoal == way.goal else ""
            where = str(world.cell(leg.subgoal))
            lines.append(f"{len(lines) + 1:3d}. {name:<10} until {where:<9} {long}{goal}")
    total = f"expected discount {np.exp(answer.log_discount):.4g}, log {answer.log_discount:.4f}"
    return [f"from {world.cell(answer.question.start)}", *lines, total + _quality(answer)]


def _long(world: Maze, path: list[int]) -> str:
    """Return how long a leg is, which is certain without noise."""
    steps = len(path) - 1
    count = f"{steps:3d} steps" if steps != 1 else "  1 step "
    return count if world.entry_times is None else f"{count.rstrip()}, time {_time(world, path):g}"


def _chance(world: Maze, path: list[int], log_discount: float) -> str:
    """Return what a leg's policy promises under noise, where steps cannot be counted."""
    lucky = "" if _is_a_walk(world, path) else "  by chance"
    return f"discount {np.exp(log_discount):.4f}{lucky}"


def _quality(answer: Answer) -> str:
    tour = answer.tour
    if tour.proven_optimal:
        return ""
    return f" (order not proven optimal: the best is at most {100 * tour.gap:.1f}% shorter)"


def _noise_lines(answer: Answer) -> list[str]:
    result, start = answer.evaluation, answer.question.start
    if result is None:
        return []
    goal = answer.question.world.cell(answer.tour.order[0])
    rechoosing, legs, optimal = (
        float(np.asarray(each)[start])
        for each in (result.rechoosing, result.leg_by_leg, result.optimal)
    )
    return [
        "",
        f"expected discount to {goal} when followed under the noise:",
        f"  re-choosing at every cell {rechoosing:.4f}",
        f"  leg by leg, to the end    {legs:.4f}",
        f"  optimum (value iteration) {optimal:.4f}",
    ]


def as_json(answer: Answer, files: dict[str, str]) -> str:
    """Return everything about the tour, for programs.

    Cells are [row, column]. Under noise `steps`, `time` and `cells` are null, since only chance
    decides them.

    Args:
        answer: tour to describe.
        files: names of the files that were written, by what they hold.
    """
    question, tour = answer.question, answer.tour
    world = question.world
    content = {
        "format": FORMAT,
        "maze": {
            "rows": world.free.shape[0],
            "columns": world.free.shape[1],
            "free_cells": world.num_states,
            "moves": list(world.action_names),
            "corners": world.corners,
            "noise": world.noise,
        },
        "start": _cell(world, question.start),
        "discount": question.discount,
        "max_switches": question.switches,
        "order": [_cell(world, goal) for goal in tour.order],
        "returns": question.returns,
        "expected_discount": float(np.exp(answer.log_discount)),
        "log_discount": answer.log_discount,
        **_lengths(world, [_joined(way) for way in answer.ways]),
        "proven_optimal": tour.proven_optimal,
        "at_most_shorter": tour.gap,
        "solver": tour.solver,
        "ways": [_way(world, way) for way in answer.ways],
        "evaluation": _evaluation(answer),
        "files": files,
    }
    return json.dumps(content, allow_nan=False, indent=1)


def _way(world: Maze, way: Way) -> dict[str, Any]:
    factors = way.leg_log_discounts()
    return {
        "from": _cell(world, way.begin),
        "goal": _cell(world, way.goal),
        "log_discount": way.log_discount,
        "followed": way.expected_discount,
        **_lengths(world, [_joined(way)]),
        "legs": [
            {
                "policy": world.action_names[leg.policy],
                "from": _cell(world, path[0]),
                "until": _cell(world, leg.subgoal),
                "log_discount": factor,
                **_lengths(world, [path]),
                "cells": None if world.noise else [_cell(world, state) for state in path],
            }
            for leg, path, factor in zip(way.legs, way.paths, factors, strict=True)
        ],
    }


def _lengths(world: Maze, paths: list[list[int]]) -> dict[str, Any]:
    if world.noise:
        return {"steps": None, "time": None}
    steps = sum(len(path) - 1 for path in paths)
    return {"steps": steps, "time": float(sum(_time(world, path) for path in paths))}


def _evaluation(answer: Answer) -> dict[str, Any] | None:
    result, start = answer.evaluation, answer.question.start
    if result is None:
        return None
    names = ("rechoosing", "leg_by_leg", "optimal")
    values = {name: float(np.asarray(getattr(result, name))[start]) for name in names}
    return {"goal": _cell(answer.question.world, answer.tour.order[0]), **values}


def _cell(world: Maze, state: int) -> list[int]:
    return list(world.cell(state))


def _time(world: Maze, path: list[int]) -> float:
    times = world.entry_times
    return float(len(path) - 1 if times is None else times[path[1:]].sum())


def _is_a_walk(world: Maze, path: list[int]) -> bool:
    """Return whether single moves lead along the path, rather than chance."""
    return all(after in world.next_states[:, before] for before, after in itertools.pairwise(path))


def _joined(way: Way) -> list[int]:
    """Return all states of a way; only the goal if it begins there."""
    if not way.paths:
        return [way.goal]
    return way.paths[0][:1] + [state for path in way.paths for state in path[1:]]


def joined_paths(answer: Answer) -> list[list[int]]:
    """Return the states that each way passes."""
    return [_joined(way) for way in answer.ways]
