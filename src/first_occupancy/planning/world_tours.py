r"""From a world to a tour: visit all goals in the best order that is found.

    tour = fo.tour(world, stops, start=dock, discount=0.999, returning=True)

A plan is made to every goal. Each is looked up again in every state, and at a goal the next plan
takes over, so the expected discount of the tour is the product of what its plans achieve,

$$\prod_i V_{g_i}(g_{i-1}),$$

and the best order is a shortest tour with lengths $-\log V$ (`tours.best_order`). Undiscounted,
where every goal is reached for certain, the lengths are expected times.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.core.arguments import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    Share,
    check_arguments,
)
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, as_given
from first_occupancy.core.world import Policies, World, number_in
from first_occupancy.planning._drafts import EXACT, LOWER_BOUND
from first_occupancy.planning._ways import (
    Way,
    given_start,
    or_null,
    place_of,
    shown_state,
    total,
)
from first_occupancy.planning.limits import EQUALLY_SURE
from first_occupancy.planning.plan import Planner
from first_occupancy.planning.plans import Plan
from first_occupancy.planning.tours import Order, best_order

FORMAT = 2
"""Version of the JSON, which changes when a field changes its meaning or goes away."""


@dataclass(frozen=True, eq=False, repr=False)
class Tour(Displayed):
    """An order in which to visit goals, and what following it achieves.

    Attributes:
        world: the world.
        start: state where the tour begins.
        discount: discount factor per unit of time.
        found: the order, and how good it is known to be.
        ways: the way to each goal in that order, and back to the start if the tour returns.
        returning: whether it does.
    """

    world: World
    start: int
    discount: float
    found: Order
    ways: tuple[Way, ...]
    returning: bool

    @property
    def order(self) -> tuple[int, ...]:
        """The goals in the order of visiting."""
        return self.found.order

    @property
    def log_expected_discount(self) -> float:
        """Log of the expected discount of following the whole tour."""
        return float(sum(way.log_expected_discount for way in self.ways))

    @property
    def expected_discount(self) -> float:
        """The expected discount of following the whole tour."""
        return float(np.exp(self.log_expected_discount))

    @property
    def known(self) -> str:
        """How the expected discount is known: "exact", or a "lower bound"."""
        return EXACT if all(way.plan.known == EXACT for way in self.ways) else LOWER_BOUND

    @property
    def probability(self) -> float:
        """The probability of ever completing the tour; NaN if the dynamics are unknown."""
        return float(np.prod([way.number("probability") for way in self.ways]))

    @property
    def expected_time(self) -> float:
        """The expected time of the tour, given that it is completed; NaN if unknown."""
        return float(np.sum([way.number("expected_time") for way in self.ways]))

    @property
    def gap(self) -> float:
        """How much shorter the best order can be at most, as a share of this one's length."""
        return self.found.gap

    @property
    def proven_optimal(self) -> bool:
        """Whether no other order is better."""
        return self.found.proven_optimal

    def to_json(self, **more: Any) -> str:
        """Return everything about the tour, for programs.

        States are [row, column] in mazes, else names or numbers. Where only chance decides them,
        steps and states on the way are null. `more` are further fields.
        """
        content = {
            "format": FORMAT,
            "start": place_of(self.world, self.start),
            "discount": self.discount,
            "order": [place_of(self.world, goal) for goal in self.order],
            "returns": self.returning,
            "expected_discount": self.expected_discount,
            "log_expected_discount": self.log_expected_discount,
            "known": self.known,
            "probability": or_null(self.probability),
            "expected_time": or_null(self.expected_time),
            "steps": total([way.num_steps for way in self.ways]),
            "proven_optimal": self.proven_optimal,
            "at_most_shorter": self.gap,
            "solver": self.found.solver,
            "ways": [way.as_json(self.world) for way in self.ways],
        }
        return json.dumps(content | more, allow_nan=False, indent=1)

    def _summary(self) -> str:
        quality = "" if self.proven_optimal else f", at most {self.gap:.1%} from the best order"
        sure = "" if self.probability > 1 - EQUALLY_SURE else f" (if: {self.probability:.3g})"
        stops = " -> ".join(
            str(place_of(self.world, state)) for state in [self.start, *self.order][:8]
        )
        more = f" and {len(self.order) - 7} more" if len(self.order) > 7 else ""
        bound = "" if self.known == EXACT else f" ({self.known})"
        return (
            f"Tour of {count(len(self.order), 'goal')}{' and back' if self.returning else ''}: "
            f"expected time {self.expected_time:,.6g}{sure}{quality}\n"
            f"  expected discount {self.expected_discount:.4g}{bound}\n  {stops}{more}"
        )


@check_arguments
def tour(
    world: World,
    goals: Any,
    *,
    start: Any = None,
    discount: Share,
    policies: Policies = None,
    returning: bool = False,
    last: Any = None,
    avoid: Any = (),
    max_switches: NonNegativeInt | None = None,
    refine: NonNegativeInt | None = None,
    tolerance: NonNegativeFloat | None = None,
    seconds: PositiveFloat | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tour:
    """Return the best tour of all goals that is found: from the start through each in turn.

    >>> from first_occupancy.environments import maze
    >>> found = tour(maze(["G.S..G"]), [0, 5], start=2, discount=0.95)
    >>> found.order, found.expected_time
    ((0, 5), 7.0)

    Args:
        world: as for `plan`.
        goals: states to visit, at least one, in any form that the world takes.
        start: where the tour begins; None for the start of the world, if it has one.
        discount: as for `plan`.
        policies: as for `plan`.
        returning: whether the tour ends where it began.
        last: goal to visit last; None for any.
        avoid: as for `plan`.
        max_switches: as for `plan`, on the way to each goal.
        refine: as for `plan`.
        tolerance: as for `plan`; under noise it makes tours of large worlds several times as fast.
        seconds: time limit of the search for an order of many goals, as for `best_order`.
        progress: called after each plan with the number of plans made, and of all.

    Raises:
        InputError: a goal, or every order of them, is out of reach, or an argument cannot be used.
    """
    planner = Planner(world, policies=policies, discount=discount, avoid=avoid)
    begin = number_in(world, given_start("tour", world, start), caller="tour", what="start")
    stops = _goals(world, goals)
    final = None if last is None else number_in(world, last, caller="tour", what="last")
    plans, options = {}, {"max_switches": max_switches, "refine": refine}
    ends = dict.fromkeys([*stops, begin] if returning else stops)
    made = planner._drafted_each(ends, tolerance=tolerance, **options)
    for number, (plan, _) in zip(ends, made, strict=True):
        plans[number] = plan
        if progress is not None:
            progress(len(plans), len(ends))
    for goal in stops:
        if not np.isfinite(np.asarray(plans[goal].log_promised)[begin]):
            raise InputError(
                f"tour: goal {shown_state(world, goal)} must be reachable from start "
                f"{shown_state(world, begin)}, but {_why_not(discount, max_switches)}"
            )
    lengths = {goal: _logs(plan, discount) for goal, plan in plans.items()}
    back = lengths[begin] if returning else None
    table = np.stack([lengths[goal] for goal in stops], axis=1)
    try:
        order = best_order(begin, stops, table, returning=back, last=final, seconds=seconds)
    except InputError as error:
        if "some order must reach all goals" not in str(error):
            raise
        raise InputError(_no_order(world, begin, stops, table, returning)) from None
    places = [begin, *order.order, *([begin] if returning else [])]
    ways = [Way(here, plans[there], planner.steps) for here, there in pairwise(places)]
    return Tour(world, begin, float(discount), order, tuple(ways), returning)


def _goals(world: World, goals: Any) -> list[int]:
    """Return the numbers of the goals, each once."""
    each = [] if isinstance(goals, str) or not np.iterable(goals) else list(goals)
    if not each:
        raise InputError(
            f"tour: goals must be a list of states, at least one, got {as_given(goals)}"
        )
    numbers = (number_in(world, goal, caller="tour", what="goal") for goal in each)
    return list(dict.fromkeys(numbers))


def _logs(plan: Plan, discount: float) -> Float[np.ndarray, " S"]:
    """Return minus the lengths of ways: log discounts, or times if nothing is discounted."""
    arriving = np.isfinite(np.asarray(plan.log_promised))
    if discount == 1 and plan.probability is not None and plan.expected_time is not None:
        surely = np.asarray(plan.probability)[arriving] > 1 - EQUALLY_SURE
        if surely.all():
            return -np.asarray(plan.expected_time, np.float64)
    return np.minimum(np.asarray(plan.log_expected_discount, np.float64), 0)


def _no_order(
    world: World, start: int, goals: list[int], logs: Float[np.ndarray, "S G"], returning: bool
) -> str:
    """Return why no order was found."""
    among = logs[goals]
    np.fill_diagonal(among, -np.inf)
    ends = [
        shown_state(world, goal)
        for goal, row in zip(goals, among, strict=True)
        if np.isinf(row).all()
    ]
    which = (
        f"from {ends[0]} and from {ends[1]} no plan leads to any other goal"
        if len(ends) > 1
        else "every order that was tried has a leg that no plan can make"
    )
    return (
        f"tour: some order must visit all goals from start {shown_state(world, start)}"
        f"{' and return' if returning else ''}, but {which}"
    )


def _why_not(discount: float, switches: int | None) -> str:
    if discount == 0:
        return "with a discount of 0 every goal that takes a step has value 0"
    if switches is None:
        return "no sequence of the base policies leads there"
    if switches == 0:
        return "no single base policy leads there, and max_switches=0 allows no switch"
    return f"no sequence of the base policies leads there with at most {switches} switches"
