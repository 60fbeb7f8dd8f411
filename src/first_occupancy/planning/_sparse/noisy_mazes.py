r"""Value iteration towards one goal on a table of next states: no S x A x S array.

$$V_{k+1}(s) = \gamma \max_a \sum_{s'} p(s'|s,a)\, V_k(s'), \qquad V(g) = 1,$$

is `value_iteration.solve` of the world in which the goal ends the episode and pays a reward once,
scaled as the FR: V is the expected discount at the first visit. With probability `noise` a random
move replaces the chosen one, all moves equally likely, as in `environments.mazes`; the table is
enough for that too.

Single sweeps serve to show the progress of value iteration. Policy iteration (`best_discount`)
finds the optimum faster, with some sweeps before each evaluation (`follow_actions`): an evaluation
has an infinite horizon but changes each action at most once, and takes as long as ten to thirty
sweeps.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import (
    InputError,
    check_discount,
    check_index,
    check_shape,
    check_share,
)
from first_occupancy.representations import first_occupancy
from first_occupancy.representations._solvers import banded
from first_occupancy.representations.deterministic import checked

SETTLED = 1e-12
"""Sweeps stop when no value changes by more than this fraction."""

MATTERS = 1e-9
"""Smaller relative gains do not count as improvements: rounding could make policies alternate."""

LEAST = 1e-290
"""Nor do gains in smaller discounts: near the smallest float, 5e-324, they have few digits."""

BETWEEN = 20
"""Sweeps before each evaluation: in mazes two or three evaluations are then enough, not seven."""

NARROW = 64
"""Largest difference of state numbers in a step, as between a grid's rows, up to which banded LU is
faster than sparse LU."""


class Sweeps(NamedTuple):
    """The expected discount to the goal, the greedy action, and the number of sweeps.

    Where the sweeps have not reached the goal yet, the discount is 0 and the action -1.
    """

    discount: Float[np.ndarray, " S"]
    action: Int[np.ndarray, " S"]
    count: int


def sweep_to_goal(
    next_states: Int[np.ndarray, "A S"],
    goal: Index,
    *,
    discount: float,
    noise: float = 0.0,
    sweeps: int | None = None,
) -> Sweeps:
    """Return the result of `sweeps` sweeps of value iteration; None sweeps until convergence.

    >>> sweep_to_goal(np.array([[1, 2, 2]]), 2, discount=0.5, sweeps=1).discount.tolist()
    [0.0, 0.5, 1.0]
    """
    table, goal = _world("sweep_to_goal", next_states, goal, discount, noise)
    if sweeps is not None and sweeps < 0:
        raise InputError(f"sweep_to_goal: sweeps must be at least 0 or None, got {sweeps}")
    values = np.zeros(table.shape[1])
    values[goal] = 1
    count, settled = 0, False
    while not settled and (sweeps is None or count < sweeps):
        improved = _swept(table, values, goal, discount, noise)
        settled = bool((np.abs(improved - values) <= SETTLED * improved).all())
        values, count = improved, count + 1
    return Sweeps(values, _greedy(table, values, goal, noise), count)


def best_discount(
    next_states: Int[np.ndarray, "A S"],
    goal: Index,
    *,
    discount: float,
    noise: float = 0.0,
    guess: Float[np.ndarray, " S"] | None = None,
) -> Float[np.ndarray, " S"]:
    """Return the largest expected discount to `goal` over all policies, from every state.

    Policy iteration: actions are improved until none is better. It starts from a `guess` at the
    result, such as a plan's discounts; None starts from those of the shortest paths. A good guess
    saves time and changes the result in its last digits only. Discounts below 1e-290 may be less
    than optimal. Near a discount of 1, others may be too, by some 1e-8 of themselves (mazes at
    .99999999: 6e-9), since smaller gains do not count as improvements.

    >>> best_discount(np.array([[1, 2, 2], [0, 0, 1]]), 2, discount=0.5).tolist()
    [0.25, 0.5, 1.0]
    """
    table, goal = _world("best_discount", next_states, goal, discount, noise)
    if noise == 0 or guess is None:
        values = sweep_to_goal(table, goal, discount=discount).discount
    else:
        _check_each_state("best_discount", "guess", guess, table)
        values = np.asarray(guess, np.float64)
    while noise > 0:
        for _ in range(BETWEEN):
            values = _swept(table, values, goal, discount, noise)
        action = _greedy(table, values, goal, noise)
        values = _followed(table, action, goal, discount, noise)
        improved = _swept(table, values, goal, discount, noise)
        if not (improved > np.maximum(values * (1 + MATTERS), LEAST)).any():
            break
    return values


def follow_actions(
    next_states: Int[np.ndarray, "A S"],
    action: Int[np.ndarray, " S"],
    goal: Index,
    *,
    discount: float,
    noise: float = 0.0,
) -> Float[np.ndarray, " S"]:
    """Return the expected discount to `goal` of one action per state; -1 is a uniformly random one.

    >>> follow_actions(np.array([[1, 2, 2], [0, 0, 1]]), np.array([0, -1, 0]), 2, discount=0.5)
    array([0.14285714, 0.28571429, 1.        ])
    """
    table, goal = _world("follow_actions", next_states, goal, discount, noise)
    _check_each_state("follow_actions", "action", action, table)
    action, last = np.asarray(action), len(table) - 1
    if action.dtype.kind not in "iu" or not (action.min() >= -1 and action.max() <= last):
        raise InputError(
            f"follow_actions: action must be whole numbers in -1..{last}, got {action.dtype} "
            f"from {action.min()} to {action.max()}"
        )
    return _followed(table, action, goal, discount, noise)


def chain_of(
    next_states: Int[np.ndarray, "A S"], action: Int[np.ndarray, " S"], *, noise: float = 0.0
) -> csr_array:
    """Return the sparse chain of one action per state; -1 is a uniformly random action."""
    begins, ends, chances = _steps(next_states, action, noise)
    return csr_array((chances, (begins, ends)), shape=(len(action), len(action)))


def _world(
    caller: str, next_states: Int[np.ndarray, "A S"], goal: Index, discount: float, noise: float
) -> tuple[Int[np.ndarray, "A S"], int]:
    """Return the table and the goal's number; raise if an argument is out of range."""
    check_discount(caller, discount)
    check_shape(caller, "next_states", next_states, "A S")
    table = checked(caller, next_states)
    check_index(caller, "goal", goal, table.shape[1])
    check_share(caller, "noise", noise)
    return table, int(np.asarray(goal))


def _check_each_state(
    caller: str, what: str, values: np.ndarray, table: Int[np.ndarray, "A S"]
) -> None:
    if np.shape(values) != table.shape[1:]:
        raise InputError(
            f"{caller}: {what} must have one number for each of {table.shape[1]} states, "
            f"got {list(np.shape(values))}"
        )


def _followed(
    table: Int[np.ndarray, "A S"],
    action: Int[np.ndarray, " S"],
    goal: int,
    discount: float,
    noise: float,
) -> Float[np.ndarray, " S"]:
    begins, ends, chances = _steps(table, action, noise)
    if np.abs(ends - begins).max() <= NARROW:
        return banded.solve_column(begins, ends, chances, goal, discount)
    chain = chain_of(table, action, noise=noise)
    return first_occupancy.solve_columns(chain, np.array([goal]), discount=discount)[:, 0]


def _steps(
    next_states: Int[np.ndarray, "A S"], action: Int[np.ndarray, " S"], noise: float
) -> tuple[Int[np.ndarray, " K"], Int[np.ndarray, " K"], Float[np.ndarray, " K"]]:
    """Return start, end and probability of each step of the chain; steps may be repeated."""
    count, size = next_states.shape
    states = np.arange(size)
    slips = np.where(action < 0, 1.0, noise)
    begins = np.tile(states, count + 1)
    ends = np.append(next_states[np.maximum(action, 0), states], next_states.ravel())
    chances = np.append(1 - slips, np.tile(slips / count, count))
    return begins, ends, chances


def _swept(
    table: Int[np.ndarray, "A S"],
    values: Float[np.ndarray, " S"],
    goal: int,
    discount: float,
    noise: float,
) -> Float[np.ndarray, " S"]:
    ahead = values.take(table)
    swept = ahead.max(axis=0)
    if noise > 0:  # Without noise the mean would only add rounding errors.
        swept = (1 - noise) * swept + noise * ahead.mean(axis=0)
    swept *= discount
    swept[goal] = 1
    return swept


def _greedy(
    table: Int[np.ndarray, "A S"], values: Float[np.ndarray, " S"], goal: int, noise: float
) -> Int[np.ndarray, " S"]:
    ahead = values.take(table)
    if noise > 0:
        # The mean is the same for all actions, but affects which of them rounding makes equal.
        ahead = (1 - noise) * ahead + noise * ahead.mean(axis=0)[None]
    action = ahead.argmax(axis=0)
    action[values == 0] = -1
    action[goal] = -1
    return action
