r"""Rows and columns of the FR of deterministic chains, without an S x S array.

If each state has one next state, $F(s, s') = \gamma^k$ with k the number of steps from s to s'. A
row of the FR is therefore a walk, and a column counts the steps of all states to one goal. Both
follow from `next_states` alone, the successor of each state under the policy, so worlds may have
millions of states. Everything here runs on the host in NumPy.
"""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import check_discount, check_index, check_indices, check_shape


def row(
    next_states: Int[np.ndarray, " S"], start: Index, *, discount: float
) -> Float[np.ndarray, " S"]:
    """Return F(start, .): how soon the walk from `start` first reaches every state.

    >>> row(np.array([1, 2, 1, 0]), 0, discount=0.5)
    array([1.  , 0.5 , 0.25, 0.  ])
    """
    table = _checked_table("row", next_states, "start", start, discount)
    steps, state, count = np.full(table.size, -1), int(np.asarray(start)), 0
    while steps[state] < 0:
        steps[state], state, count = count, table[state], count + 1
    return np.where(steps < 0, 0.0, float(discount) ** np.maximum(steps, 0))


def column(
    next_states: Int[np.ndarray, " S"], goal: Index, *, discount: float
) -> Float[np.ndarray, " S"]:
    """Return F(., goal): how soon the walk from every state first reaches `goal`.

    >>> column(np.array([1, 2, 1, 0]), 2, discount=0.5)
    array([0.25 , 0.5  , 1.   , 0.125])
    """
    table = _checked_table("column", next_states, "goal", goal, discount)
    steps, ahead = (np.arange(table.size) != goal).astype(np.int64), table.copy()
    ahead[np.asarray(goal)] = goal
    # Pointer doubling: after k rounds, the next 2^k steps of every walk have been counted.
    for _ in range(table.size.bit_length()):
        steps, ahead = steps + steps[ahead], ahead[ahead]
    return np.where(ahead == goal, float(discount) ** steps, 0.0)


def checked(caller: str, next_states: Int[np.ndarray, "*N S"]) -> Int[np.ndarray, "*N S"]:
    """Return `next_states` as an array of integers that can index, after checking it."""
    table = np.asarray(next_states)
    check_shape(caller, "next_states", table, "*N S")
    check_indices(caller, "next_states", table, table.shape[-1])
    # NumPy promotes uint64 with int64 to float64, which cannot be an index.
    return table if np.can_cast(table.dtype, np.int64) else table.astype(np.int64)


def _checked_table(
    caller: str, next_states: Int[np.ndarray, " S"], what: str, state: Index, discount: float
) -> Int[np.ndarray, " S"]:
    check_discount(caller, discount)
    table = checked(caller, next_states)
    check_shape(caller, "next_states", table, "S")
    check_index(caller, what, state, table.size)
    return table
