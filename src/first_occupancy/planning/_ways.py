"""Ways from one goal to the next, and how they and their ends are shown."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int

from first_occupancy.core.errors import InputError
from first_occupancy.core.world import World
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.legs import Leg, follow
from first_occupancy.planning.limits import NOTHING
from first_occupancy.planning.plans import Plan


class Way(NamedTuple):
    """The way to one goal of a tour.

    Attributes:
        begin: state where it begins: the previous goal, or the start.
        plan: plan to the goal.
        steps: next state of each policy from each state; None if they are stochastic.
    """

    begin: int
    plan: Plan
    steps: Int[np.ndarray, "N S"] | None

    @property
    def goal(self) -> int:
        """The state where the way ends."""
        return int(self.plan.goal)

    @property
    def log_expected_discount(self) -> float:
        """Log of the expected discount of following the plan."""
        return self.number("log_expected_discount")

    @property
    def legs(self) -> list[Leg]:
        """The legs of the plan; none where its likeliest moves lead round in a circle."""
        return [] if int(self.plan.subgoal[self.begin]) == NOTHING else self.plan.legs(self.begin)

    @property
    def paths(self) -> list[list[int]] | None:
        """The states that each leg passes, both ends included; None if only chance decides them."""
        return None if self.steps is None else follow(self.legs, self.begin, self.steps)

    def number(self, what: str) -> float:
        """Return one of the plan's numbers from the beginning of the way; NaN if unknown."""
        numbers = getattr(self.plan, what)
        return np.nan if numbers is None else float(np.asarray(numbers)[self.begin])

    @property
    def num_steps(self) -> int | None:
        """Steps on the way; None if only chance decides them."""
        return None if self.paths is None else sum(len(path) - 1 for path in self.paths)

    def as_json(self, world: World) -> dict[str, Any]:
        """Return everything about the way, for programs."""
        paths = self.paths or [None] * len(self.legs)
        begins = [self.begin, *(leg.subgoal for leg in self.legs)]
        legs = [
            {
                "policy": leg.policy_name or leg.policy,
                "from": place_of(world, begin),
                "until": place_of(world, leg.subgoal),
                "steps": None if path is None else len(path) - 1,
                "states": None if path is None else [place_of(world, state) for state in path],
            }
            for begin, leg, path in zip(begins, self.legs, paths, strict=False)
        ]
        names = "expected_discount", "promised", "probability", "expected_time"
        return {
            "from": place_of(world, self.begin),
            "goal": place_of(world, self.goal),
            **{name: or_null(self.number(name)) for name in names},
            "log_expected_discount": self.log_expected_discount,
            "steps": self.num_steps,
            "legs": legs,
        }


def place_of(world: World, state: int) -> Any:
    """Return a state as JSON shows it: [row, column] in mazes, else its name or number."""
    if isinstance(world, Maze):
        return list(world.cell(state))
    nodes = getattr(world, "nodes", None)  # of graphs, also where there are too many to name
    if nodes is not None:
        return nodes[state] if isinstance(nodes[state], str | int) else str(nodes[state])
    names, _ = world.labels(None)
    return names[state] if names else int(state)


def shown_state(world: World, state: int) -> str:
    """Return a state as messages show it: its cell, its name or its number."""
    return str(world.cell(state)) if isinstance(world, Maze) else repr(place_of(world, state))


def given_start(caller: str, world: World, start: Any) -> Any:
    """Return the start that is given, or that of the world."""
    given = getattr(world, "start", None) if start is None else start
    if given is None:
        raise InputError(f"{caller}: start must be a state, got None, and the world has no start")
    return given


def or_null(number: float) -> float | None:
    """Return a number for JSON, which has no NaN."""
    return None if np.isnan(number) else number


def total(numbers: list[int | None]) -> int | None:
    """Return the sum; None if a number is unknown."""
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
