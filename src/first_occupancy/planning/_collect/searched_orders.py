"""Good orders of many rewards: several ways to begin, local search, and random detours from it."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._collect.exact_orders import Choice
from first_occupancy.planning._collect.local_search import fronts, improved, inserted, tails
from first_occupancy.planning._collect.targets import EQUAL, Targets

ROUNDS = 100
"""Random detours after which the search ends; the result is the same on every machine."""

WINDOW = 30
"""Rewards of the part of an order in which a detour exchanges two neighbouring parts."""


class SearchedOrders:
    """One good order, from which a reward may be brought forward in every state.

    What is left is an order of it. Bringing rewards forward never loses: staying with the order is
    one of the choices.
    """

    solver = "search"

    def __init__(self, targets: Targets, start: int) -> None:
        self.targets = targets
        self._endings = np.maximum(targets.endings[targets.states], 0)
        self._between = targets.between
        links = self._links(start)
        self.begun = {
            name: improved(links, targets.rewards, self._endings, order)
            for name, order in beginnings(links, targets.rewards, self._endings).items()
        }
        values = {name: self._value(links, order) for name, order in self.begun.items()}
        self.construction = max(values, key=lambda name: values[name])
        self.all = self._detours(links, self.begun[self.construction])

    def without(self, left: tuple[int, ...], target: int) -> tuple[int, ...]:
        """Return what is left once a reward is taken."""
        return tuple(other for other in left if other != target)

    def choose(self, state: int, left: tuple[int, ...]) -> Choice:
        """Return where to go next from a state."""
        targets, ending = self.targets, float(self.targets.endings[state])
        order = np.array(left, np.int64)
        near = targets.nearness[state, order]
        if not np.isfinite(near).any():
            return Choice(-1, max(ending, 0), left)
        values = fronts(self._links(state), targets.rewards, self._endings, order)
        values = np.where(np.isfinite(near), values, -np.inf)
        best = float(values.max())
        if best < ending * (1 - EQUAL):
            return Choice(-1, ending, left)
        place = int(np.where(values >= best * (1 - EQUAL), near, -np.inf).argmax())
        front = left[place]
        return Choice(front, best, (front, *self.without(left, front)))

    def _links(self, start: int) -> Float[np.ndarray, "N K"]:
        return np.vstack([self._between, self.targets.discounts[start]])

    def _value(self, links: Float[np.ndarray, "N K"], order: Int[np.ndarray, " K"]) -> float:
        after = tails(links, self.targets.rewards, self._endings, order)
        return float(links[-1, order[0]] * after[0])

    def _detours(
        self, links: Float[np.ndarray, "N K"], order: Int[np.ndarray, " K"]
    ) -> tuple[int, ...]:
        """Return the best order after exchanging parts at random and searching again."""
        rng, best = np.random.default_rng(0), self._value(links, order)
        for _ in range(ROUNDS):
            begin = int(rng.integers(max(len(order) - WINDOW, 1)))
            cuts = begin + np.sort(rng.choice(min(WINDOW, len(order)) + 1, 3, replace=False))
            one, two, three = (int(cut) for cut in cuts)
            parts = (order[:one], order[two:three], order[one:two], order[three:])
            other = improved(links, self.targets.rewards, self._endings, np.concatenate(parts))
            value = self._value(links, other)
            if value > best:
                best, order = value, other
        return tuple(int(number) for number in order)


def beginnings(
    links: Float[np.ndarray, "N K"],
    rewards: Float[np.ndarray, " K"],
    endings: Float[np.ndarray, " K"],
) -> dict[str, Int[np.ndarray, " K"]]:
    """Return orders to begin the search with, by name."""
    return {
        "nearest first": _greedy(links, lambda link: link),
        "best first": _greedy(links, lambda link: link * rewards),
        # What is collected, per share of the future that is lost on the way.
        "rate first": _greedy(links, lambda link: link * rewards / np.maximum(1 - link, EQUAL)),
        "insertion": inserted(links, rewards, endings),
    }


def _greedy(
    links: Float[np.ndarray, "N K"],
    worth: Callable[[Float[np.ndarray, " K"]], Float[np.ndarray, " K"]],
) -> Int[np.ndarray, " K"]:
    """Return the order that always goes to the reward of the highest worth that is left."""
    order, here, left = [], len(links) - 1, np.ones(links.shape[1], bool)
    for _ in range(links.shape[1]):
        here = int(np.where(left, worth(links[here]), -np.inf).argmax())
        left[here] = False
        order.append(here)
    return np.array(order, np.int64)
