r"""Value iteration towards one goal on a table of next states: no S x A x S array.

$$V_{k+1}(s) = \gamma \max_a \sum_{s'} p(s'|s,a)\, V_k(s'), \qquad V(g) = 1,$$

is `value_iteration.solve` of the world in which the goal ends everything and pays once, in the FR's
units: V is the expected discount at the first visit. With `noise` a uniformly random move replaces
the chosen one that often, as in `environments.mazes`; that needs the table alone.

Sweeps are there to be watched. The optimum comes sooner by policy iteration, whose evaluations
are sparse solves (`best_discount`).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_discount, check_index, check_shape
from first_occupancy.representations import first_occupancy
from first_occupancy.representations.paths import checked

SETTLED = 1e-12
"""A change of no value by more than this part of it ends the sweeps."""


MATTERS = 1e-9
"""An action better by less than this part is no reason to change: rounding would go in circles."""


class Sweeps(NamedTuple):
    """The expected discount to the goal, the action greedy for it, and the sweeps it took.

    Where the sweeps have not brought word of the goal, the discount is 0 and the action -1.
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
    """Return what `sweeps` sweeps of value iteration know of the way to `goal`; None: all.

    >>> sweep_to_goal(np.array([[1, 2, 2]]), 2, discount=0.5, sweeps=1).discount.tolist()
    [0.0, 0.5, 1.0]
    """
    check_discount("sweep_to_goal", discount)
    check_shape("sweep_to_goal", "next_states", next_states, "A S")
    table = checked("sweep_to_goal", next_states)
    check_index("sweep_to_goal", "goal", goal, table.shape[1])
    if not 0 <= noise <= 1:
        raise InputError(f"sweep_to_goal: noise must be at least 0 and at most 1, got {noise}")
    if sweeps is not None and sweeps < 0:
        raise InputError(f"sweep_to_goal: sweeps must be at least 0 or None, got {sweeps}")
    at_goal = np.arange(table.shape[1]) == goal
    values = at_goal.astype(float)
    count, settled = 0, False
    while not settled and (sweeps is None or count < sweeps):
        improved = discount * _action_values(table, values, noise).max(axis=0)
        improved[at_goal] = 1
        settled = bool((np.abs(improved - values) <= SETTLED * improved).all())
        values, count = improved, count + 1
    return Sweeps(values, _greedy(table, values, noise, at_goal), count)


def best_discount(
    next_states: Int[np.ndarray, "A S"], goal: Index, *, discount: float, noise: float = 0.0
) -> Float[np.ndarray, " S"]:
    """Return the largest expected discount to `goal` that any policy has, from every state.

    Policy iteration, from the shortest paths on: better actions are taken until there are none.

    >>> best_discount(np.array([[1, 2, 2], [0, 0, 1]]), 2, discount=0.5).tolist()
    [0.25, 0.5, 1.0]
    """
    shortest = sweep_to_goal(next_states, goal, discount=discount)
    if noise == 0:
        return shortest.discount
    action, states = shortest.action, np.arange(len(shortest.action))
    while True:
        chain = chain_of(next_states, action, noise=noise)
        values = first_occupancy.solve_columns(chain, np.array([goal]), discount)[:, 0]
        worth = _action_values(next_states, values, noise)
        better = worth.max(axis=0) > worth[action, states] * (1 + MATTERS)
        if not (better & (action >= 0)).any():
            return values
        action = np.where(better & (action >= 0), worth.argmax(axis=0), action)


def chain_of(
    next_states: Int[np.ndarray, "A S"], action: Int[np.ndarray, " S"], *, noise: float = 0.0
) -> csr_array:
    """Return the sparse chain of taking one action in each state; -1 takes any, equally likely."""
    count, size = next_states.shape
    states = np.arange(size)
    slips = np.where(action < 0, 1.0, noise)
    begins = np.tile(states, count + 1)
    ends = np.append(next_states[np.maximum(action, 0), states], next_states.ravel())
    chances = np.append(1 - slips, np.tile(slips / count, count))
    return csr_array((chances, (begins, ends)), shape=(size, size))


def _greedy(
    table: Int[np.ndarray, "A S"],
    values: Float[np.ndarray, " S"],
    noise: float,
    at_goal: Bool[np.ndarray, " S"],
) -> Int[np.ndarray, " S"]:
    action = _action_values(table, values, noise).argmax(axis=0)
    action[(values == 0) | at_goal] = -1
    return action


def _action_values(
    table: Int[np.ndarray, "A S"], values: Float[np.ndarray, " S"], noise: float
) -> Float[np.ndarray, "A S"]:
    ahead = values[table]
    # Without chance the mean would only add rounding.
    return ahead if noise == 0 else (1 - noise) * ahead + noise * ahead.mean(axis=0)[None]
