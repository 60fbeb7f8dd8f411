"""TD learning from a log of transitions of any length, piece by piece in bounded memory."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import (
    InputError,
    check_discount,
    check_indices,
    check_shape,
    check_share,
)
from first_occupancy.representations.td import HasTarget, move_row

PIECE = 2**20
"""Transitions per piece: a few megabytes, and some tenths of a second of learning."""


Log = tuple[Integer[np.ndarray, " L"], Integer[np.ndarray, " L"], Integer[np.ndarray, " L"]]
"""Policy, state left and state entered of each transition."""


def learn_log(
    representation: HasTarget,
    reps: Float[Array, "N S S"],
    log: Log,
    *,
    discount: Scalar,
    step_size: Scalar,
) -> Float[Array, "N S S"]:
    """Return the tables of N policies after one pass over their log."""
    check_discount("td_learn", discount)
    check_share("td_learn", "step_size", step_size)
    check_shape("td_learn", "reps", reps, "N S S")
    lengths = [np.shape(column) for column in log]
    if len(set(lengths)) != 1 or len(lengths[0]) != 1 or lengths[0][0] == 0:
        raise InputError(
            "td_learn: policies, states and next_states must be rows of one length, "
            f"at least 1, got shapes {lengths}"
        )
    # A copy, because `_learn_piece` donates the buffer it is given.
    reps = jnp.array(reps, jnp.result_type(reps, float))
    learn = partial(_learn_piece, representation)
    for begin in range(0, lengths[0][0], PIECE):
        piece = [np.asarray(column[begin : begin + PIECE]) for column in log]
        _check_piece(piece, reps.shape, begin)
        columns = _filled(piece)
        # JAX dispatches asynchronously: without waiting, the whole log would be read at once.
        jax.block_until_ready(reps)
        reps = learn(reps, *columns, len(piece[0]), discount, step_size)
    return reps


def _check_piece(piece: list[np.ndarray], shape: tuple[int, ...], begin: int) -> None:
    num_policies, num_states, _ = shape
    sizes = {"policies": num_policies, "states": num_states, "next_states": num_states}
    for (what, size), column in zip(sizes.items(), piece, strict=True):
        # The extremes are a fast test; `check_indices` is slower but names the wrong entry.
        if column.dtype.kind not in "iu" or column.min() < 0 or column.max() >= size:
            check_indices("td_learn", f"{what} from transition {begin} on", column, size)


def _filled(piece: list[np.ndarray]) -> list[np.ndarray]:
    """Return the columns padded to a full piece, so that all pieces share a compiled program."""
    missing = PIECE - len(piece[0])
    return [np.pad(column.astype(np.int32), (0, missing)) for column in piece]


@partial(jax.jit, donate_argnums=1)
def _learn_piece(
    representation: HasTarget,
    reps: Float[Array, "N S S"],
    policies: Int[Array, " L"],
    states: Int[Array, " L"],
    next_states: Int[Array, " L"],
    length: Index,
    discount: Scalar,
    step_size: Scalar,
) -> Float[Array, "N S S"]:
    # One table of N S rows: XLA updates a row of a matrix in place, but a row of a stack by a
    # scatter, which is six times as slow (measured at S = 68).
    num_states = reps.shape[1]

    def advance(transition: Index, table: Float[Array, "NS S"]) -> Float[Array, "NS S"]:
        first = policies[transition] * num_states
        state = states[transition]
        following = table[first + next_states[transition]]
        target = representation.target(state, following, discount=discount)
        return move_row(table, first + state, target, step_size)[0]

    table = reps.reshape(-1, num_states)
    return jax.lax.fori_loop(0, length, advance, table).reshape(reps.shape)
