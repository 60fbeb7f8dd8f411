r"""Tours: the best order in which to visit many goals (the paper's appendix, "Multiple goals").

The expected discount of a tour is the product of its legs' discounts, so the best order is the
shortest travelling-salesman path with lengths $-\log \Gamma(g, g')$. The paper tries all n!
orders; Held and Karp's recursion over subsets takes $2^n n^2$ steps.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import ArrayLike, Float, Int

from first_occupancy.core.errors import InputError, check_index

EXACT_UP_TO = 16
"""Most goals for which the search is exact; 20 would take a gigabyte, 16 takes 50 MB."""

ATTEMPTS = 20
"""Initial orders tried with more goals than that: nearest first, then random relaxations."""


class Tour(NamedTuple):
    """An order in which to visit goals.

    Attributes:
        order: goals in the order of visiting.
        log_discount: log of the expected discount of the whole tour.
        proven_optimal: whether the search was exact, so that no other order is better.
    """

    order: tuple[int, ...]
    log_discount: float
    proven_optimal: bool

    @property
    def discount(self) -> float:
        """The expected discount of the whole tour."""
        return float(np.exp(self.log_discount))


def best_order(
    start: int, goals: Sequence[int] | Int[ArrayLike, " G"], log_discounts: Float[ArrayLike, "S G"]
) -> Tour:
    """Return the best order in which to visit all goals from `start`.

    With up to 16 goals the order is optimal. With more it is the best that SciPy's search for
    quadratic assignments finds.

    Args:
        start: state from which the tour begins.
        goals: states to visit, at least one.
        log_discounts: `log_discounts[s, i]` is the log of the expected discount from state s to
            `goals[i]`, as in `plan_to_goal(frs, goals[i]).log_discount`; at most 0.

    Raises:
        InputError: if no order that was tried reaches all goals, or an argument has a wrong shape
            or range.
    """
    goals, logs = np.asarray(goals), np.asarray(log_discounts, dtype=np.float64)
    _check(start, goals, logs)
    first, between = logs[start], logs[goals]
    exact = len(goals) <= EXACT_UP_TO
    positions = _held_karp(first, between) if exact else _assigned(first, between)
    log_discount = _log_discount(positions, first, between)
    if log_discount == -np.inf:
        raise InputError(
            f"best_order: some order must reach all goals from state {start}, but every order "
            f"{'' if exact else 'that was tried '}has a leg that no plan can make"
        )
    order = tuple(int(goals[position]) for position in positions)
    return Tour(order, float(log_discount), proven_optimal=exact)


def _log_discount(positions: list[int], first: np.ndarray, between: np.ndarray) -> float:
    """Return the log discount of visiting the positions in this order, -inf if there are none."""
    if not positions:
        return -np.inf
    return first[positions[0]] + sum(between[leg] for leg in pairwise(positions))


def _held_karp(first: np.ndarray, between: np.ndarray) -> list[int]:
    """Return the best order of positions, from the best tour of each subset to each end.

    Row `subset` of `best` holds, for each goal in it, the log discount of the best tour
    that visits the subset and ends there. Subsets are bit masks, processed in order of size.
    The result is empty if every order has an impossible leg.
    """
    count = len(first)
    masks = np.arange(1 << count)
    sizes = np.bitwise_count(masks)
    best = np.full((1 << count, count), -np.inf)
    before = np.full((1 << count, count), -1, dtype=np.int8)
    best[1 << np.arange(count), np.arange(count)] = first
    for size in range(1, count):
        subsets = masks[sizes == size]
        for goal in range(count):
            open_subsets = subsets[(subsets >> goal) & 1 == 0]
            ways = best[open_subsets] + between[:, goal][None, :]
            grown = open_subsets | (1 << goal)
            best[grown, goal] = ways.max(axis=1)
            before[grown, goal] = ways.argmax(axis=1)
    subset = (1 << count) - 1
    if best[subset].max() == -np.inf:
        return []
    order = [int(best[subset].argmax())]
    while len(order) < count:
        previous = int(before[subset, order[-1]])
        subset &= ~(1 << order[-1])
        order.append(previous)
    return order[::-1]


def _assigned(first: np.ndarray, between: np.ndarray) -> list[int]:
    """Return a good order of positions, without proof that it is the best; deterministic.

    A tour assigns nodes to the places of a cycle, so finding the best is a quadratic assignment
    problem, for which SciPy has a relaxation (FAQ) and an exchange search (2-opt).
    """
    from scipy.optimize import quadratic_assignment  # here, because importing it takes .2 s

    # Node 0 is the start; returning to it is free, which makes the path a cycle.
    lengths = np.zeros((len(first) + 1, len(first) + 1))
    lengths[0, 1:], lengths[1:, 1:] = -first, -between
    np.fill_diagonal(lengths, 0)
    longest = lengths[np.isfinite(lengths)].max()
    lengths[~np.isfinite(lengths)] = (longest + 1) * len(lengths)
    next_place = np.roll(np.eye(len(lengths)), 1, axis=1)
    start_first = np.array([[0, 0]])
    found = []
    for attempt in range(ATTEMPTS):
        common = {"partial_match": start_first, "rng": np.random.default_rng(attempt)}
        if attempt == 0:
            begin = _nearest_first(lengths)
        else:
            relaxed = {**common, "P0": "randomized"}
            begin = quadratic_assignment(next_place, lengths, options=relaxed).col_ind
        guess = np.column_stack([np.arange(len(lengths)), begin])[1:]
        exchanged = {**common, "partial_guess": guess}
        found.append(quadratic_assignment(next_place, lengths, method="2opt", options=exchanged))
    shortest = min(found, key=lambda tour: tour.fun)
    return [int(node) - 1 for node in shortest.col_ind[1:]]


def _nearest_first(lengths: np.ndarray) -> list[int]:
    """Return the tour from node 0 that always goes to the nearest unvisited node."""
    order, left = [0], set(range(1, len(lengths)))
    while left:
        order.append(min(left, key=lambda node: lengths[order[-1], node]))
        left.remove(order[-1])
    return order


def _check(start: int, goals: np.ndarray, logs: np.ndarray) -> None:
    if goals.ndim != 1 or len(goals) == 0:
        raise InputError(f"best_order: goals must be a list of states, got shape {goals.shape}")
    if logs.ndim != 2 or logs.shape[1] != len(goals):
        raise InputError(
            f"best_order: log_discounts must have shape [S G] with G = {len(goals)} goals, "
            f"got {logs.shape}"
        )
    check_index("best_order", "start", start, len(logs))
    for goal in goals:
        check_index("best_order", "goal", goal, len(logs))
    if not (logs <= 0).all():
        raise InputError(
            "best_order: log_discounts must be logs of discounts, at most 0, "
            f"got up to {logs.max():.6g}"
        )
