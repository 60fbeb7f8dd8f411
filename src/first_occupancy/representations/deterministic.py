r"""Rows and columns of the FR of deterministic chains, without an S x S array.

If each state has one next state, $F(s, s') = \gamma^k$ with k the number of steps from s to s'. A
row of the FR is therefore a walk, and a column counts the steps of all states to one goal. Both
follow from `next_states` alone, the successor of each state under the policy, so worlds may have
millions of states.

Everything here runs on the host in NumPy: there are no dense arrays to send to a device.
"""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_discount, check_index, check_shape

UNREACHED = -1
"""Number of steps to a state that is never reached."""


def row(
    next_states: Int[np.ndarray, " S"], start: Index, *, discount: float
) -> Float[np.ndarray, " S"]:
    """Return F(start, .): how soon the walk from `start` first reaches every state.

    >>> row(np.array([1, 2, 1, 0]), 0, discount=0.5)
    array([1.  , 0.5 , 0.25, 0.  ])
    """
    return _discounted("row", steps_from(next_states, start), discount)


def column(
    next_states: Int[np.ndarray, " S"], goal: Index, *, discount: float
) -> Float[np.ndarray, " S"]:
    """Return F(., goal): how soon the walk from every state first reaches `goal`.

    >>> column(np.array([1, 2, 1, 0]), 2, discount=0.5)
    array([0.25 , 0.5  , 1.   , 0.125])
    """
    return _discounted("column", steps_to(next_states, goal), discount)


def steps_from(next_states: Int[np.ndarray, " S"], start: Index) -> Int[np.ndarray, " S"]:
    """Return the number of steps from `start` to every state, -1 for states never reached."""
    table = checked("steps_from", next_states)
    check_shape("steps_from", "next_states", table, "S")
    check_index("steps_from", "start", start, table.size)
    steps = np.full(table.size, UNREACHED)
    state, count = int(np.asarray(start)), 0
    while steps[state] == UNREACHED:
        steps[state] = count
        state, count = table[state], count + 1
    return steps


def steps_to(next_states: Int[np.ndarray, " S"], goal: Index) -> Int[np.ndarray, " S"]:
    """Return the number of steps from every state to `goal`, -1 where it is never reached."""
    table = checked("steps_to", next_states)
    check_shape("steps_to", "next_states", table, "S")
    check_index("steps_to", "goal", goal, table.size)
    at_goal = np.arange(table.size) == goal
    steps, _ = nearest_ahead(table, np.where(at_goal, 0, table.size))
    steps[at_goal] = 0
    return np.where(steps < table.size, steps, UNREACHED)


def nearest_ahead(
    next_states: Int[np.ndarray, " S"], ends: Int[np.ndarray, " S"]
) -> tuple[Int[np.ndarray, " S"], Int[np.ndarray, " S"]]:
    r"""Return the least of $j + \mathrm{ends}(s_j)$, $j \ge 1$, along every walk, and its $s_j$.

    The walk $s_1, s_2, \dots$ starts at the next state of each state. Pointer doubling: the best of
    the next 2k states is the better of the best among the next k and the best among the k after
    those, which the k-th next state already knows. Walks that have reached a fixed point drop out,
    so in mazes, where walks end at a wall, the time depends on the average length of the walks.

    Args:
        ends: steps still to go from each state, at least 0; S (the largest value allowed) means
            that there is no way on.

    Returns:
        The least sum for each state, where S or more means that there is none, and the state at
        which it is attained; of several such states, the one with the lowest number.
    """
    size = next_states.size
    bits = size.bit_length()
    # Steps and state in one number, so that one comparison also breaks ties.
    met = (((ends + 1) << bits) | np.arange(size)).take(next_states)
    ahead = next_states.astype(np.int64)
    length = 1
    moving = np.flatnonzero(next_states.take(ahead) != ahead)
    while len(moving) and length < size:
        there = ahead.take(moving)
        further = met.take(there) + (length << bits)
        met[moving] = np.minimum(met.take(moving), further)
        landed = ahead.take(there)
        ahead[moving] = landed
        moving = moving[next_states.take(landed) != landed]
        length *= 2
    return met >> bits, met & ((1 << bits) - 1)


def checked(caller: str, next_states: Int[np.ndarray, "*N S"]) -> Int[np.ndarray, "*N S"]:
    """Return `next_states` as an array of integers that can index, after checking it.

    Raises:
        InputError: if the array is empty, has no integer type, or names a state outside 0..S-1.
    """
    table = np.asarray(next_states)
    if table.size == 0 or not np.issubdtype(table.dtype, np.integer):
        raise InputError(
            f"{caller}: next_states must be whole numbers, one for each state, "
            f"got {table.dtype} of shape {list(table.shape)}"
        )
    low, high = table.min(), table.max()
    if low < 0 or high >= table.shape[-1]:
        raise InputError(
            f"{caller}: next_states must be in 0..{table.shape[-1] - 1}, "
            f"got {low if low < 0 else high}"
        )
    # NumPy promotes uint64 with int64 to float64, which cannot be an index.
    return table if np.can_cast(table.dtype, np.int64) else table.astype(np.int64)


def _discounted(
    caller: str, steps: Int[np.ndarray, " S"], discount: float
) -> Float[np.ndarray, " S"]:
    check_discount(caller, discount)
    return np.where(steps == UNREACHED, 0.0, discount ** np.maximum(steps, 0))
