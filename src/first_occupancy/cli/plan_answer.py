"""What `first-occupancy plan` finds out: the order of the goals and the legs to each of them."""

from typing import Any, NamedTuple

import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning.evaluation import Evaluation, evaluate
from first_occupancy.planning.legs import Leg, follow
from first_occupancy.planning.plan import Planner
from first_occupancy.planning.plans import Plan
from first_occupancy.planning.tours import Tour, best_order


class Question(NamedTuple):
    """What to plan.

    Attributes:
        world: the maze.
        start: state where the tour begins.
        goals: states to visit.
        discount: discount factor per unit of time.
        switches: upper bound on policy switches; None for no limit.
        last: goal to visit last; None for any.
        returns: whether the tour ends where it began.
        seconds: time limit of the search for an order of many goals; None for none.
    """

    world: Maze
    start: int
    goals: list[int]
    discount: float
    switches: int | None = None
    last: int | None = None
    returns: bool = False
    seconds: float | None = None


class Way(NamedTuple):
    """The way to one goal of the tour.

    Attributes:
        begin: state where it begins: the previous goal, or the start.
        plan: plan to the goal.
        legs: legs of the plan from there.
        paths: for each leg the states it passes without noise, both ends included.
    """

    begin: int
    plan: Plan
    legs: list[Leg]
    paths: list[list[int]]

    @property
    def goal(self) -> int:
        """The state where the way ends."""
        return int(self.plan.goal)

    @property
    def log_discount(self) -> float:
        """Log of the expected discount that the plan promises."""
        return float(np.asarray(self.plan.log_discount)[self.begin])

    @property
    def followed(self) -> float | None:
        """Expected discount of following the plan, re-choosing in every cell."""
        followed = self.plan.expected_discount
        return None if followed is None else float(np.asarray(followed)[self.begin])

    def leg_log_discounts(self) -> list[float]:
        """Return the log of the expected discount of each leg: their sum is the whole promise."""
        logs = np.asarray(self.plan.log_discount)
        begins = [self.begin, *(leg.subgoal for leg in self.legs)][: len(self.legs)]
        return [
            float(logs[begin] - logs[leg.subgoal])
            for begin, leg in zip(begins, self.legs, strict=True)
        ]


class Answer(NamedTuple):
    """A tour through a maze.

    Attributes:
        question: what was asked.
        tour: order of the goals, and how good it is known to be.
        ways: the way to each goal in that order, and back to the start if it returns.
        evaluation: under noise, what following the first plan achieves; None without noise.
    """

    question: Question
    tour: Tour
    ways: list[Way]
    evaluation: Evaluation | None

    @property
    def log_discount(self) -> float:
        """Log of the expected discount of the whole tour."""
        return float(sum(way.log_discount for way in self.ways))

    @property
    def plans(self) -> list[Plan]:
        """The plans, one for each goal, in the order of the tour."""
        return [way.plan for way in self.ways]


def answer(question: Question) -> Answer:
    """Return the best tour of the goals that is found.

    Raises:
        InputError: if a goal, or every order of them, is out of reach.
    """
    world, start = question.world, question.start
    ends = list(dict.fromkeys([*question.goals, start] if question.returns else question.goals))
    planner = Planner(world, discount=question.discount)
    plans = {goal: planner.plan(goal, max_switches=question.switches) for goal in ends}
    for goal in question.goals:
        if not np.isfinite(np.asarray(plans[goal].log_discount)[start]):
            raise InputError(
                f"goal {world.cell(goal)} must be reachable from start {world.cell(start)}, but "
                + _why_not(question)
            )
    tour = _ordered(question, plans)
    ways, here = [], start
    for goal in [*tour.order, start] if question.returns else tour.order:
        legs = plans[goal].legs(here)
        ways.append(Way(here, plans[goal], legs, follow(legs, here, world.next_states)))
        here = goal
    first = ways[0].plan
    evaluation = evaluate(first, world, discount=question.discount) if world.noise else None
    return Answer(question, tour, ways, evaluation)


def _ordered(question: Question, plans: dict[int, Plan]) -> Tour:
    """Return the best order; without a discount, the one that takes the least time."""
    timed = question.discount == 1 and all(
        plan.expected_time is not None for plan in plans.values()
    )
    logs = {
        goal: -np.asarray(plan.expected_time) if timed else np.asarray(plan.log_discount)
        for goal, plan in plans.items()
    }
    options: dict[str, Any] = {"last": question.last, "seconds": question.seconds}
    if question.returns:
        options["returning"] = logs[question.start]
    table = np.stack([logs[goal] for goal in question.goals], axis=1)
    try:
        return best_order(question.start, question.goals, table, **options)
    except InputError as error:
        if "some order must reach all goals" not in str(error):
            raise
        raise InputError(_no_order(question, table)) from None


def _no_order(question: Question, logs: np.ndarray) -> str:
    """Return why no order was found, in terms of cells."""
    world, goals = question.world, question.goals
    among = logs[goals]
    np.fill_diagonal(among, -np.inf)
    ends = [world.cell(goal) for goal, row in zip(goals, among, strict=True) if np.isinf(row).all()]
    limit = "" if question.switches is None else f" with at most {question.switches} switches"
    which = (
        f"from {ends[0]} and from {ends[1]} no plan leads to any other goal{limit}"
        if len(ends) > 1
        else f"every order that was tried has a leg that no plan can make{limit}"
    )
    return (
        f"some order must visit all goals from start {world.cell(question.start)}"
        f"{' and return' if question.returns else ''}, but {which}"
    )


def _why_not(question: Question) -> str:
    if question.discount == 0:
        return "with --discount 0 every goal that takes a step has value 0"
    if question.switches is None:
        return "no sequence of the base policies leads there"
    if question.switches == 0:
        return "no single base policy leads there, and --switches 0 allows no switch"
    return f"no sequence of the base policies leads there with at most {question.switches} switches"
