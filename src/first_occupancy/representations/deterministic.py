r"""FRs of deterministic chains, by walking: no S x S array, worlds of millions of states.

Where each state has one next state, $F(s, s') = \gamma^k$ with k the number of steps from
s to s'. So a row of the FR is a walk, and a column counts the steps of all states to one
goal. `next_states[s]` is the only thing they need to know of a policy and its world.

Everything here runs on the host, in NumPy: graphs this size have no dense arrays to
hand to a device.
"""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_discount, check_index, check_shape

UNREACHED = -1
"""Number of steps to where one never comes."""


def row(
    next_states: Int[np.ndarray, " S"], start: Index, *, discount: float
) -> Float[np.ndarray, " S"]:
    """Return F(start, .): how soon the walk from `start` first comes to every state.

    >>> row(np.array([1, 2, 1, 0]), 0, discount=0.5)
    array([1.  , 0.5 , 0.25, 0.  ])
    """
    return _discounted("row", steps_from(next_states, start), discount)


def column(
    next_states: Int[np.ndarray, " S"], goal: Index, *, discount: float
) -> Float[np.ndarray, " S"]:
    """Return F(., goal): how soon the walk from every state first comes to `goal`.

    >>> column(np.array([1, 2, 1, 0]), 2, discount=0.5)
    array([0.25 , 0.5  , 1.   , 0.125])
    """
    return _discounted("column", steps_to(next_states, goal), discount)


def steps_from(next_states: Int[np.ndarray, " S"], start: Index) -> Int[np.ndarray, " S"]:
    """Return the number of steps from `start` to every state, -1 to those never reached."""
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

    A running minimum along the path of each state; equal ones go to the first state.
    `ends` is at most S, which stands for "nowhere", as do results of S and more.

    Pointer doubling: who knows the best of the next k states, and where the k-th is,
    asks there and knows the best of 2k. Walks that have come to rest drop out, so mazes,
    whose walks end at a wall, take about as long as their average walk.
    """
    size = next_states.size
    bits = size.bit_length()
    # Steps and state in one number, so that one comparison settles the ties.
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
    """Return `next_states` as an array, or raise unless each names one of the S states."""
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
    # NumPy takes uint64 and int64 together for float64, which is no index.
    return table if np.can_cast(table.dtype, np.int64) else table.astype(np.int64)


def _discounted(
    caller: str, steps: Int[np.ndarray, " S"], discount: float
) -> Float[np.ndarray, " S"]:
    check_discount(caller, discount)
    return np.where(steps == UNREACHED, 0.0, discount ** np.maximum(steps, 0))
