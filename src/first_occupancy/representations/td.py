"""TD learning of tables: each update moves one row towards its target.

A log of transitions may have any length: it is read piece by piece, in bounded memory.
"""

from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import (
    InputError,
    check_discount,
    check_index,
    check_indices,
    check_shape,
    check_share,
)
from first_occupancy.core.mdp import floats

if TYPE_CHECKING:
    from first_occupancy.representations.representation import Representation

Rows = tuple[Int[Array, "*N T"], ...]
"""Indices of the rows that a walk visits: (states,) or (states, actions)."""

PIECE = 2**20
"""Transitions per piece: a few megabytes, and some tenths of a second of learning."""

Log = tuple[Integer[np.ndarray, " L"], Integer[np.ndarray, " L"], Integer[np.ndarray, " L"]]
"""Policy, state left and state entered of each transition."""


def following_row(
    rep: Float[Array, "*rows S"], row: Index | tuple[Index, ...], discount: Scalar
) -> Float[Array, " S"]:
    """Return the row that a transition leads to, after checking its index and the discount."""
    check_discount("td_step", discount)
    # JAX clamps indices that are out of range, and would learn from the row of another state.
    for index, size in zip(row if isinstance(row, tuple) else (row,), rep.shape, strict=False):
        check_index("td_step", "next state or action", index, size)
    return jnp.asarray(rep)[row]


def move_row(
    rep: Float[Array, "*rows S"],
    row: Index | tuple[Index, ...],
    target: Float[Array, " S"],
    step_size: Scalar,
) -> tuple[Float[Array, "*rows S"], Float[Array, " S"]]:
    """Return the table with one row moved towards its target, and the TD error of the row."""
    # JAX silently drops writes that are out of range.
    for index, size in zip(row if isinstance(row, tuple) else (row,), rep.shape, strict=False):
        check_index("td_step", "state or action", index, size)
    check_share("td_step", "step_size", step_size)
    rep = floats(rep)
    # Keep the table's precision, whatever that of the discount and the step size.
    error = (target - rep[row]).astype(rep.dtype)
    return rep.at[row].add((step_size * error).astype(rep.dtype)), error


def learn(
    representation: "Representation",
    rep: Float[Array, "*N_rows S"],
    rows: Rows,
    *,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "*N_rows S"], Float[Array, "*N T-1"]]:
    """Return the table after TD along a walk, and the L2 norm of each TD error.

    A stack of tables needs as many walks (policies, seeds).
    """
    check_discount("td_learn", discount)
    check_share("td_learn", "step_size", step_size)
    rep = floats(rep)
    _check_walks(rep, rows)
    return _learn(representation, rep, tuple(map(jnp.asarray, rows)), discount, step_size)


def _check_walks(rep: Float[Array, "*N_rows S"], rows: Rows) -> None:
    shapes = [np.shape(indices) for indices in rows]
    *stack, length = shapes[0] or (0,)
    stacked = tuple(stack) == rep.shape[: rep.ndim - len(rows) - 1]
    if len(set(shapes)) != 1 or not stacked or length < 2:
        raise InputError(
            "td_learn: each representation needs a walk of at least 2 states, and as many "
            f"actions, got walks of shapes {shapes} for a representation of shape {rep.shape}"
        )
    sizes = rep.shape[rep.ndim - len(rows) - 1 :]
    for what, indices, size in zip(("states", "actions"), rows, sizes, strict=False):
        # JAX clamps indices that are out of range, which would corrupt the last row.
        check_indices("td_learn", what, indices, size)


@jax.jit
def _learn(
    representation: "Representation",
    rep: Float[Array, "*N_rows S"],
    rows: Rows,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "*N_rows S"], Float[Array, "*N T-1"]]:
    def along(rep: Array, rows: Rows) -> tuple[Array, Array]:
        return _along_walk(representation, rep, rows, discount, step_size)

    for _ in range(rows[0].ndim - 1):
        along = jax.vmap(along)
    return along(rep, rows)


def _along_walk(
    representation: "Representation",
    rep: Float[Array, "*rows S"],
    rows: Rows,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "*rows S"], Float[Array, " T-1"]]:
    Row = tuple[Index, ...]

    # The norm is computed one step late. Computed at once, it would make XLA read the table after
    # the write, and so copy all of it at every step (250 times slower at S = 800).
    def advance(
        carry: tuple[Array, Array], transition: tuple[Row, Row]
    ) -> tuple[tuple[Array, Array], Array]:
        rep, previous = carry
        row, next_row = transition
        target = representation.target(row[0], rep[next_row], discount=discount)
        return move_row(rep, row, target, step_size), jnp.linalg.norm(previous)

    here = tuple(indices[:-1] for indices in rows)
    ahead = tuple(indices[1:] for indices in rows)
    begin = (rep, jnp.zeros_like(rep, shape=rep.shape[-1]))
    (rep, last), norms = jax.lax.scan(advance, begin, (here, ahead))
    return rep, jnp.append(norms[1:], jnp.linalg.norm(last))


def learn_log(
    representation: "Representation",
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
        check_indices("td_learn", f"{what} from transition {begin} on", column, size)


def _filled(piece: list[np.ndarray]) -> list[np.ndarray]:
    """Return the columns padded to a full piece, so that all pieces share a compiled program."""
    missing = PIECE - len(piece[0])
    return [np.pad(column.astype(np.int32), (0, missing)) for column in piece]


@partial(jax.jit, donate_argnums=1)
def _learn_piece(
    representation: "Representation",
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
