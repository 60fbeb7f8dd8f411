"""Where to go next, whatever is left of the rewards: what collections and their agents share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from first_occupancy.planning._collect.plans_to_rewards import Targets, targets_of
from first_occupancy.planning._drafts import Draft
from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.planning.limits import EXACT_ORDER_UP_TO
from first_occupancy.planning.plan import Planner
from first_occupancy.planning.plans import Plan

Drafted = dict[int, tuple[Plan, Draft]]
"""The plans to some states."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """Plans to all rewards, and orders in which to take them.

    Attributes:
        planner: the world, its base policies and the discount.
        rewards: what each state is worth at its first visit, above 0.
        last: state where the trip ends; None for anywhere.
        options: options of the plans.
        drafted: the plans made so far; more may be needed.
        start: where the search for an order of many rewards begins.
    """

    planner: Planner
    rewards: dict[int, float]
    last: int | None
    options: dict[str, Any]
    drafted: Drafted
    start: int

    def prepare(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make the plans that are missing, counting all."""
        missing = [goal for goal in self._goals if goal not in self.drafted]
        made = self.planner._drafted_each(missing, **self.options)
        for number, goal in enumerate(self._goals, start=1):
            if goal not in self.drafted:
                self.drafted[goal] = next(made)
            if progress is not None:
                progress(number, len(self._goals))

    @property
    def _goals(self) -> list[int]:
        """The states that plans are made to."""
        return [*dict.fromkeys([*self.rewards, *([] if self.last is None else [self.last])])]

    @cached_property
    def targets(self) -> Targets:
        """The rewards with the plans to them, as arrays."""
        self.prepare()
        drafts = {state: self.drafted[state][1] for state in self._goals}
        size, discount = self.planner.world.num_states, self.planner.discount
        return targets_of(self.rewards, drafts, self.last, size, discount)

    @cached_property
    def orders(self) -> Any:
        """The orders in which to take what is left, from every state."""
        # Here, because Numba takes a while to import.
        if len(self.targets.states) <= EXACT_ORDER_UP_TO:
            from first_occupancy.planning._collect.exact_orders import ExactOrders

            return ExactOrders(self.targets)
        from first_occupancy.planning._collect.searched_orders import SearchedOrders

        return SearchedOrders(self.targets, self.start)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of each reward, by its state."""
        return {int(state): number for number, state in enumerate(self.targets.states)}

    @property
    def moves(self) -> Moves:
        """The discounted moves of the base policies, which must be known."""
        dynamics = self.planner._dynamics
        assert dynamics is not None
        return dynamics.moves

    def starting(self, here: int) -> "Strategy":
        """Return the strategy from another start, which matters where orders are searched."""
        same = here == self.start or self.orders.solver == "exact"
        return self if same else replace(self, start=here)

    def after(self, state: int, left: tuple[int, ...]) -> tuple[int, ...]:
        """Return the numbers of the rewards that are left after a visit to a state."""
        return tuple(number for number in left if number != self.numbers.get(state))

    def visits(self, start: int) -> list[int]:
        """Return the states that the order visits from a start, the last goal included."""
        here, left = start, self.after(start, self.orders.all)
        states = [start] if start in self.numbers else []
        while (choice := self.orders.choose(here, left)).target >= 0:
            here = int(self.targets.states[choice.target])
            left = self.after(here, choice.left)
            states.append(here)
        if self.last is not None and np.isfinite(self.targets.endings[here]):
            states.append(self.last)
        return states

    def value(self, state: int) -> float:
        """Return what the best order from a start promises, with what is taken there at once."""
        taken = self.rewards[state] if state in self.numbers else 0.0
        return taken + self.orders.choose(state, self.after(state, self.orders.all)).value
