"""Good orders of many rewards: local search from a greedy one, and random detours from there."""

import numpy as np
from jaxtyping import Int

from first_occupancy.planning._collect.exact_orders import Choice
from first_occupancy.planning._collect.local_search import Problem, fronts, improved, tails
from first_occupancy.planning._collect.plans_to_rewards import Targets
from first_occupancy.planning.limits import DETOUR_WINDOW, DETOURS, EQUAL_RETURNS


class SearchedOrders:
    """One good order, from which a reward may be brought forward in every state.

    What is left is an order of it. Bringing rewards forward never loses: staying with the order is
    one of the choices.
    """

    solver = "search"

    def __init__(self, targets: Targets, start: int) -> None:
        self.targets, self._between = targets, targets.between
        self.all = tuple(int(number) for number in _searched(self._from(start)))

    def choose(self, state: int, left: tuple[int, ...]) -> Choice:
        """Return where to go next from a state."""
        targets, ending = self.targets, float(self.targets.endings[state])
        order = np.array(left, np.int64)
        near = targets.nearness[state, order]
        if not np.isfinite(near).any():
            return Choice(-1, max(ending, 0), left)
        values = np.where(np.isfinite(near), fronts(self._from(state), order), -np.inf)
        best = float(values.max())
        if best < ending * (1 - EQUAL_RETURNS):
            return Choice(-1, ending, left)
        place = int(np.where(values >= best * (1 - EQUAL_RETURNS), near, -np.inf).argmax())
        front = left[place]
        return Choice(front, best, (front, *left[:place], *left[place + 1 :]))

    def _from(self, start: int) -> Problem:
        targets = self.targets
        endings = np.append(np.maximum(targets.endings[targets.states], 0), 0.0)
        links = np.vstack([self._between, targets.discounts[start]])
        return Problem(links, targets.rewards, endings)


def _searched(problem: Problem) -> Int[np.ndarray, " K"]:
    """Return the best order found; random detours make it depend little on the first one."""
    rng, order = np.random.default_rng(0), improved(problem, _greedy(problem))
    best = _value(problem, order)
    for _ in range(DETOURS):
        begin = int(rng.integers(max(len(order) - DETOUR_WINDOW, 1)))
        cuts = begin + np.sort(rng.choice(min(DETOUR_WINDOW, len(order)) + 1, 3, replace=False))
        one, two, three = (int(cut) for cut in cuts)
        parts = order[:one], order[two:three], order[one:two], order[three:]
        other = improved(problem, np.concatenate(parts))
        value = _value(problem, other)
        if value > best:
            best, order = value, other
    return order


def _value(problem: Problem, order: Int[np.ndarray, " K"]) -> float:
    return float(problem.links[-1, order[0]] * tails(problem, order)[0])


def _greedy(problem: Problem) -> Int[np.ndarray, " K"]:
    """Return the order that always takes what adds most for the part of the future it costs."""
    worth = problem.links * problem.rewards / np.maximum(1 - problem.links, EQUAL_RETURNS)
    order, here, left = [], len(worth) - 1, np.ones(worth.shape[1], bool)
    for _ in range(worth.shape[1]):
        here = int(np.where(left, worth[here], -np.inf).argmax())
        left[here] = False
        order.append(here)
    return np.array(order, np.int64)
