"""The plan of a scene as the page draws it: legs, arrows, subgoals, value iteration beside them."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError
from first_occupancy.planning import tours
from first_occupancy.planning._sparse.noisy_mazes import Sweeps, follow_actions, sweep_to_goal
from first_occupancy.planning.legs import follow, unroll
from first_occupancy.planning.plan import Planner
from first_occupancy.planning.plans import Plan
from first_occupancy.web import noise
from first_occupancy.web.rooms import Room, room, tidy
from first_occupancy.web.scenes import PlanQuestion
from first_occupancy.web.work import Step

TOO_LARGE = (
    f"With noise, plans are exact up to {noise.SIZES[-1]:,} cells. "
    "In this larger room the plan is made as if there were no noise, and followed with it."
)


def answer_plan(question: PlanQuestion, tables: noise.Tables, step: Step) -> dict[str, Any]:
    """Return a `PlanAnswer` as plain values.

    Args:
        question: the scene and the number of switches.
        tables: tables of the last rooms, to which this room's may be added.
        step: called between the parts of the work; raises if it should stop.
    """
    lines = tidy(question.scene.drawing)
    answer: dict[str, Any] = {
        "rows": len(lines),
        "columns": len(lines[0]),
        "message": None,
        "note": None,
        "start": None,
        "policies": [],
        "actions": [],
        "most_switches": 0,
        "tour_discount": None,
        "plans": [],
        "sweeps": None,
        "worth": None,
    }
    try:
        here = room(question.scene)
    except InputError:
        return answer | {"message": "Erase some walls: there is no free cell."}
    answer |= {
        "start": None if here.start is None else int(here.cells[here.start]),
        "policies": list(here.policies),
        "actions": [here.on_cells(moves, -1).tolist() for moves in here.actions],
    }
    if not here.goals:
        return answer | {"message": "Put a goal somewhere."}
    step()
    return answer | _planned(here, question.switches, tables, step)


def _planned(here: Room, switches: int | None, tables: noise.Tables, step: Step) -> dict[str, Any]:
    exact = here.maze.noise > 0 and noise.is_small_enough(here)
    planner = _noisy_planner(here, tables, step) if exact else _path_planner(here)
    converged, plans = {}, {}
    for goal in here.goals:
        step()
        converged[goal] = planner(goal, max_switches=None)
        step()
        plans[goal] = (
            planner(goal, max_switches=switches) if switches is not None else converged[goal]
        )
    # A goal that nothing leads to takes no legs, which is no switch either.
    most = max(1, *(_most_legs(plan) for plan in converged.values())) - 1
    order, tour_discount, message = _tour(here, plans)
    step()
    sweeps = (most if switches is None else switches) + 1
    swept = sweep_to_goal(
        here.maze.next_states,
        order[0],
        discount=here.discount,
        noise=here.maze.noise,
        sweeps=sweeps,
    )
    step()
    optimum = tables.optimum(here, order[0], np.exp(converged[order[0]].log_discount))
    step()
    return {
        "message": message,
        "note": TOO_LARGE if here.maze.noise > 0 and not exact else None,
        "most_switches": max(most, 0),
        "tour_discount": tour_discount,
        "plans": _goal_answers(here, [plans[goal] for goal in order]),
        "sweeps": _sweep_answer(here, swept),
        "worth": _worth(here, plans[order[0]], swept, optimum, step),
    }


def _path_planner(here: Room) -> Callable[..., Plan]:
    # Without noise, whatever the scene has: a room this large is planned in as if there were none.
    planner = Planner(replace(here.maze, noise=0.0), policies=here.actions, discount=here.discount)

    def plan(goal: int, *, max_switches: int | None) -> Plan:
        return on_host(planner.plan(goal, max_switches=max_switches))

    return plan


def _noisy_planner(here: Room, tables: noise.Tables, step: Step) -> Callable[..., Plan]:
    table = tables.of(here, step)

    def plan(goal: int, *, max_switches: int | None) -> Plan:
        return noise.plan(table, here, goal, max_switches)

    return plan


def on_host(plan: Plan) -> Plan:
    """Return the plan as NumPy arrays: of JAX's, each look would be compiled for every size."""
    return jax.tree.map(np.asarray, plan)


def _most_legs(plan: Plan) -> int:
    """Return the legs of the longest plan; each round doubles the legs that are counted."""
    subgoal, goal = plan.subgoal, int(plan.goal)
    onward = np.where(subgoal < 0, goal, subgoal)
    legs = ((subgoal >= 0) & (np.arange(len(subgoal)) != goal)).astype(int)
    while (onward != goal).any():
        legs, onward = legs + legs[onward], onward[onward]
    return int(legs.max())


def _tour(here: Room, plans: dict[int, Plan]) -> tuple[tuple[int, ...], float | None, str | None]:
    """Return the goals in order, the discount of visiting all, and what is in the way."""
    if here.start is None:
        return here.goals, None, "Put the start somewhere."
    logs = np.stack([plans[goal].log_discount for goal in here.goals], axis=1)
    try:
        tour = tours.best_order(here.start, here.goals, logs)
    except InputError:
        reached = sorted(here.goals, key=lambda goal: -plans[goal].log_discount[here.start])
        missing = "the goal" if len(here.goals) == 1 else "all goals"
        return (
            tuple(reached),
            None,
            f"With so few switches no plan reaches {missing} from the start.",
        )
    return tour.order, _digits(tour.discount), None


def _goal_answers(here: Room, plans: list[Plan]) -> list[dict[str, Any]]:
    answers, begin = [], here.start
    for plan in plans:
        reached = begin is not None and plan.log_discount[begin] > -np.inf
        legs = unroll(plan, begin) if begin is not None and reached else []
        ways = follow(legs, begin, here.next_states) if begin is not None else []
        answers.append(
            {
                "goal": int(here.cells[int(plan.goal)]),
                "policy": here.on_cells(np.asarray(plan.policy), -1).tolist(),
                "subgoal": here.on_cells(_cells_of(here, np.asarray(plan.subgoal)), -1).tolist(),
                "discount": here.floats(np.exp(plan.log_discount)),
                "legs": [
                    {
                        "policy": leg.policy,
                        "subgoal": int(here.cells[leg.subgoal]),
                        "cells": here.cells[way].tolist(),
                    }
                    for leg, way in zip(legs, ways, strict=True)
                ],
            }
        )
        begin = int(plan.goal)
    return answers


def _cells_of(here: Room, states: Int[np.ndarray, " S"]) -> Int[np.ndarray, " S"]:
    return np.where(states < 0, -1, here.cells[states])


def _sweep_answer(here: Room, swept: Sweeps) -> dict[str, Any]:
    return {
        "sweeps": swept.count,
        "action": here.on_cells(swept.action, -1).tolist(),
        "discount": here.floats(swept.discount),
    }


def _worth(
    here: Room, plan: Plan, swept: Sweeps, optimum: Float[np.ndarray, " S"], step: Step
) -> dict[str, Any] | None:
    if here.start is None:
        return None
    goal, policy = int(plan.goal), plan.policy
    chosen = here.actions[policy, np.arange(len(policy))]
    promised = math.exp(float(plan.log_discount[here.start]))
    followed = promised
    if promised and here.maze.noise:
        step()
        discounts = follow_actions(
            here.maze.next_states,
            np.where(policy < 0, -1, chosen),
            goal,
            discount=here.discount,
            noise=here.maze.noise,
        )
        followed = float(discounts[here.start])
    return {
        "plan": _digits(promised),
        "followed": _digits(followed),
        "sweeps": _digits(float(swept.discount[here.start])),
        "optimum": _digits(float(optimum[here.start])),
    }


def _digits(value: float) -> float | None:
    return float(f"{value:.6g}") if value > 0 else None
