"""TD learning of tables: one row moves towards its target, alone or along a walk."""

from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import (
    InputError,
    check_discount,
    check_index,
    check_indices,
    check_share,
)
from first_occupancy.core.mdp import floats

Rows = tuple[Int[Array, "*N T"], ...]
"""The rows a walk goes through: (states,) or (states, actions)."""


@runtime_checkable
class HasTarget(Protocol):
    """What learning needs to know of a representation; a pytree, so that it can be traced."""

    def target(
        self, state: Index, following: Float[Array, " S"], *, discount: Scalar
    ) -> Float[Array, " S"]:
        """Return what row `state` should be, given the row that follows it."""
        ...


def following_row(
    rep: Float[Array, "*rows S"], row: Index | tuple[Index, ...], discount: Scalar
) -> Float[Array, " S"]:
    """Return the row that a step leads to; check it and the discount."""
    check_discount("td_step", discount)
    # JAX clamps indices that are out of range, and the step would learn of another state.
    for index, size in zip(row if isinstance(row, tuple) else (row,), rep.shape, strict=False):
        check_index("td_step", "next state or action", index, size)
    return jnp.asarray(rep)[row]


def move_row(
    rep: Float[Array, "*rows S"],
    row: Index | tuple[Index, ...],
    target: Float[Array, " S"],
    step_size: Scalar,
) -> tuple[Float[Array, "*rows S"], Float[Array, " S"]]:
    """Move one row towards its target; return the new table and the error."""
    # JAX drops writes that are out of range, and an update would be lost in silence.
    for index, size in zip(row if isinstance(row, tuple) else (row,), rep.shape, strict=False):
        check_index("td_step", "state or action", index, size)
    check_share("td_step", "step_size", step_size)
    rep = floats(rep)
    # In the table's precision, whatever that of the discount and the step size.
    error = (target - rep[row]).astype(rep.dtype)
    return rep.at[row].add((step_size * error).astype(rep.dtype)), error


def learn(
    representation: HasTarget,
    rep: Float[Array, "*N_rows S"],
    rows: Rows,
    *,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "*N_rows S"], Float[Array, "*N T-1"]]:
    """Run TD along a walk; return the table and the L2 norm of each error.

    A stack of tables learns along a stack of walks, each along its own: many policies, many
    seeds, in one call of the device.
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
    representation: HasTarget,
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
    representation: HasTarget,
    rep: Float[Array, "*rows S"],
    rows: Rows,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "*rows S"], Float[Array, " T-1"]]:
    Row = tuple[Index, ...]

    # The norm is taken one step late: taken at once, XLA would read the table again after
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
