r"""Tours: the best order in which to visit many goals (the paper's appendix, "Multiple goals").

The expected discount of a tour is the product of its legs' discounts, so the best order is the
shortest travelling-salesman path with lengths $-\log \Gamma(g, g')$. The paper tries all n!
orders. Up to 16 goals the order is the best there is (Held and Karp); beyond, it is the best that a
solver finds, with a bound on what any order can achieve.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import ArrayLike, Float, Int

from first_occupancy.core.arguments import PositiveFloat, check_arguments
from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, as_given, check_index, check_shape, check_states
from first_occupancy.planning._tours.assignments import assigned_tour, nearest_first
from first_occupancy.planning._tours.bounds import shortest_possible
from first_occupancy.planning._tours.held_karp import shortest_tour
from first_occupancy.planning._tours.routing import installed_solver, routed_tour
from first_occupancy.planning.limits import EQUALLY_SURE, EXACT_TOUR_UP_TO

EXACT, PYVRP, SCIPY = "exact", "pyvrp", "scipy"
"""Solvers of tours, as `Order.solver` names them."""


class Order(NamedTuple):
    """An order in which to visit goals, and how good it is known to be.

    Attributes:
        order: goals in the order of visiting.
        log_discount: log of the expected discount of the whole tour, the return to the start
            included if there is one.
        proven_optimal: whether no other order is better, by more than 1e-12 of the log discount.
        bound: upper bound on the log discount of every order; `log_discount` itself if that is
            proven optimal.
        solver: what found it: "exact" (up to 16 goals), "pyvrp" (with the extra `tours`) or
            "scipy".
    """

    order: tuple[int, ...]
    log_discount: float
    proven_optimal: bool
    bound: float
    solver: str = EXACT

    @property
    def discount(self) -> float:
        """The expected discount of the whole tour."""
        return float(np.exp(self.log_discount))

    @property
    def gap(self) -> float:
        """How much shorter the best tour can be at most, as a share of this one's length."""
        return 1 - self.bound / self.log_discount if self.log_discount < self.bound else 0.0


@check_arguments
def best_order(
    start: int,
    goals: Sequence[int] | Int[ArrayLike, " G"],
    log_discounts: Float[ArrayLike, "S G"],
    *,
    last: Index | None = None,
    returning: Float[ArrayLike, " S"] | None = None,
    seconds: PositiveFloat | None = None,
) -> Order:
    """Return the best order in which to visit all goals from `start`.

    With up to 16 goals the order is optimal. With more it is the best that PyVRP finds, if the
    extra `tours` is installed, or else SciPy's search for quadratic assignments. `Order.bound` and
    `Order.gap` say how good it is known to be.

    Args:
        start: state from which the tour begins.
        goals: states to visit, at least one.
        log_discounts: `log_discounts[s, i]` is the log of the expected discount from state s to
            `goals[i]`, as in `plan_to_goal(frs, goals[i]).log_discount`; at most 0.
        last: goal to visit last; None for any.
        returning: log of the expected discount from each state to the start, as in the plan to
            the start. With it, the tour returns to the start in the end; None ends at the last
            goal.
        seconds: time limit for PyVRP. None lets it search for a number of rounds, so that the
            order is the same on every machine: some seconds for 100 goals.

    Raises:
        InputError: if no order that was tried reaches all goals, or an argument has a wrong shape
            or range.
    """
    goals, logs = np.asarray(goals), np.asarray(log_discounts, dtype=np.float64)
    back = None if returning is None else np.asarray(returning, dtype=np.float64)
    _check(start, goals, logs, back)
    lengths = _lengths(start, goals, logs, back)
    if last is not None:
        _end_at(lengths, goals, last)
    exact = len(goals) <= EXACT_TOUR_UP_TO
    nodes, solver = (shortest_tour(lengths), EXACT) if exact else _searched(lengths, seconds)
    log_discount = 0.0 - _length_of(nodes, lengths)
    if log_discount == -np.inf:
        raise InputError(
            f"best_order: some order must reach all goals from state {start}, but every order "
            f"{'' if exact else 'that was tried '}has a leg that no plan can make"
        )
    order = tuple(int(goals[node - 1]) for node in nodes)
    if exact:
        return Order(order, log_discount, True, log_discount)
    bound = 0.0 - shortest_possible(lengths, -log_discount)
    proven = log_discount >= bound * (1 + EQUALLY_SURE)
    return Order(order, log_discount, proven, log_discount if proven else bound, solver)


def _lengths(
    start: int, goals: np.ndarray, logs: np.ndarray, returning: np.ndarray | None
) -> Float[np.ndarray, "M M"]:
    """Return the lengths of legs between start (node 0) and goals (from node 1 on)."""
    lengths = np.zeros((len(goals) + 1, len(goals) + 1))
    lengths[0, 1:], lengths[1:, 1:] = -logs[start], -logs[goals]
    if returning is not None:
        lengths[1:, 0] = -returning[goals]
    np.fill_diagonal(lengths, 0)
    return lengths


def _end_at(lengths: Float[np.ndarray, "M M"], goals: np.ndarray, last: Index) -> None:
    """Leave only one way back to the start: from the last goal."""
    place = np.flatnonzero(goals == np.asarray(last))
    if not len(place):
        raise InputError(f"best_order: last must be one of the goals, got {as_given(last)}")
    ways = np.arange(1, len(lengths))
    lengths[ways[ways != place[0] + 1], 0] = np.inf


def _searched(lengths: Float[np.ndarray, "M M"], seconds: float | None) -> tuple[list[int], str]:
    """Return a good tour, and the name of the solver that found it.

    Solvers need finite lengths of one scale. So lengths are divided by the length of a known tour,
    or else by one that no tour exceeds. Longer legs, and legs that cannot be made, count as 1.
    """
    nearest = nearest_first(lengths)
    scale = _length_of(nearest, lengths)
    if scale == np.inf:
        scale = 2 * len(lengths) * float(lengths[np.isfinite(lengths)].max())
    scale = min(scale, np.finfo(float).max) or 1.0
    parts, solver = np.minimum(lengths, scale) / scale, installed_solver()
    found = assigned_tour(parts) if solver is None else routed_tour(solver, parts, seconds)
    best = min(nearest, found, key=lambda nodes: _length_of(nodes, lengths))
    return best, SCIPY if solver is None else PYVRP


def _length_of(nodes: list[int], lengths: Float[np.ndarray, "M M"]) -> float:
    """Return the length of the tour through these nodes, infinite if there are none."""
    return sum(float(lengths[leg]) for leg in pairwise([0, *nodes, 0])) if nodes else np.inf


def _check_logs(what: str, logs: np.ndarray) -> None:
    if not (logs <= 0).all():
        raise InputError(
            f"best_order: {what} must be logs of discounts, at most 0, got up to {logs.max():.6g}"
        )


def _check(start: int, goals: np.ndarray, logs: np.ndarray, back: np.ndarray | None) -> None:
    size = len(np.atleast_1d(logs))
    check_states("best_order", "goals", goals, size, least=1)
    check_shape("best_order", "log_discounts", logs, "S G", like="goals", G=len(goals))
    check_index("best_order", "start", start, size)
    _check_logs("log_discounts", logs)
    if back is not None:
        check_shape("best_order", "returning", back, "S", S=size)
        _check_logs("returning", back)
