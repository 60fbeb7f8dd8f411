r"""The best order in which to take rewards, by dynamic programming over what is left of them.

With $m$ the rewards that are left, the return from reward $i$ on is at most, over all orders,

$$D(m, i) = \max\Big( e(x_i),\;
  \max_{j \in m} \Gamma(x_i, x_j)\, \big( r_j + D(m \setminus j, j) \big) \Big),$$

with $e$ the return of going straight to the last goal, or 0. It takes $2^n n^2 / 4$ steps.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.compiled import compiled
from first_occupancy.planning._collect.plans_to_rewards import Targets
from first_occupancy.planning.limits import EQUAL_RETURNS


@compiled
def best_returns(between, rewards, endings):
    """Return D: the best return after each reward, for each set of rewards that are left."""
    count = len(rewards)
    best = np.empty((1 << count, count))
    for mask in range(1 << count):
        for here in range(count):
            highest = endings[here]
            for there in range(count):
                discount = between[here, there]
                if (mask >> there) & 1 and discount > 0:
                    after = best[mask ^ (1 << there), there]
                    highest = max(highest, discount * (rewards[there] + after))
            best[mask, here] = highest
    return best


class Choice(NamedTuple):
    """Where to go next.

    Attributes:
        target: number of the reward; -1 to end the trip.
        value: return of the best order from here on.
        left: numbers of the rewards that are left, in the order in which to go on, if it is known.
    """

    target: int
    value: float
    left: tuple[int, ...]


class ExactOrders:
    """The best orders from every state, whatever is left."""

    solver = "exact"

    def __init__(self, targets: Targets) -> None:
        self.targets, self.all = targets, tuple(range(len(targets.states)))
        self._choices: dict[tuple[int, tuple[int, ...]], Choice] = {}

    @cached_property
    def table(self) -> Float[np.ndarray, "M K"]:
        """D, the best return after each reward."""
        here = self.targets
        return best_returns(here.between, here.rewards, here.endings[here.states])

    def choose(self, state: int, left: tuple[int, ...]) -> Choice:
        """Return where to go next from a state."""
        known = self._choices.get((state, left))
        if known is None:
            targets, values = self.choose_at(np.array([state]), left)
            known = Choice(int(targets[0]), float(values[0]), left)
            self._choices[state, left] = known
        return known

    def choose_at(
        self, states: Int[np.ndarray, " B"], left: Sequence[int]
    ) -> tuple[Int[np.ndarray, " B"], Float[np.ndarray, " B"]]:
        """Return where to go next from some states, and the return of the best order from each."""
        numbers = np.array(left, np.int64)
        targets, endings = self.targets, self.targets.endings[states]
        if not len(numbers):
            return np.full(len(states), -1), np.maximum(endings, 0)
        bits = 1 << numbers
        after = self.table[bits.sum() - bits, numbers]
        near = targets.nearness[np.ix_(states, numbers)]
        possible = np.isfinite(near) & np.isfinite(after)
        worth = targets.discounts[np.ix_(states, numbers)] * (
            targets.rewards[numbers] + np.where(np.isfinite(after), after, 0)
        )
        worth = np.where(possible, worth, -np.inf)
        best = worth.max(axis=1)
        nearest = np.where(worth >= best[:, None] * (1 - EQUAL_RETURNS), near, -np.inf).argmax(
            axis=1
        )
        goes_on = possible.any(axis=1) & (best >= endings * (1 - EQUAL_RETURNS))
        values = np.maximum(np.maximum(best, endings), 0)
        return np.where(goes_on, numbers[nearest], -1), values
