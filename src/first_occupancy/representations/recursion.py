"""What the representations share: a target per row, applied to all rows or along a walk.

A *target* says what row s should be given the row that follows it: `target(state,
following, discount)`. The FR, the SR and the lambda-representation differ in nothing
else, so each of them defines its target, and everything here takes it as an argument.
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import Partial
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import InputError, check_discount, is_known

Target = Callable[[Index, Float[Array, " S"], Scalar], Float[Array, " S"]]
Rows = tuple[Int[Array, " T"], ...]
"""The rows a walk goes through: (states,) or (states, actions)."""


@runtime_checkable
class Representation(Protocol):
    """What code that works with any representation needs of it; the modules are such."""

    def target(
        self, state: Index, following: Float[Array, " S"], discount: Scalar
    ) -> Float[Array, " S"]:
        """Return what row `state` should be, given the row that follows it."""
        ...

    def solve(self, chain: Float[Array, "*N S S"], discount: Scalar) -> Float[Array, "*N S S"]:
        """Return the exact representation of a Markov chain."""
        ...


def apply_to_all(
    target: Target, rep: Float[Array, "S S"], chain: Float[Array, "S S"], discount: Scalar
) -> Float[Array, "S S"]:
    """Return the Bellman operator: every row's target from its expected following row."""
    following = jnp.matmul(chain, rep, precision="highest")
    return jax.vmap(target, in_axes=(0, 0, None))(jnp.arange(len(rep)), following, discount)


def move_row(
    rep: Float[Array, "*rows S"],
    row: Index | tuple[Index, ...],
    target: Float[Array, " S"],
    step_size: Scalar,
) -> tuple[Float[Array, "*rows S"], Float[Array, " S"]]:
    """Move one row towards its target; return the new array and the error."""
    error = target - rep[row]
    return rep.at[row].add(step_size * error), error


def learn(
    target: Target,
    rep: Float[Array, "*rows S"],
    rows: Rows,
    *,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "*rows S"], Float[Array, " T-1"]]:
    """Run TD along a walk; return the representation and the L2 norm of each error."""
    check_discount("td_learn", discount)
    lengths = {len(indices) for indices in rows}
    if len(lengths) != 1 or min(lengths) < 2:
        raise InputError(
            f"td_learn: a walk must hold at least 2 states, and as many actions, "
            f"got {[len(indices) for indices in rows]}"
        )
    for what, indices, size in zip(("states", "actions"), rows, rep.shape, strict=False):
        # JAX clamps indices that are out of range, which would corrupt the last row.
        if is_known(indices) and not np.isin(np.asarray(indices), np.arange(size)).all():
            raise InputError(f"td_learn: {what} must be in 0..{size - 1}, got others")
    return _learn(Partial(target), rep, rows, discount, step_size)


@jax.jit
def _learn(
    target: Target, rep: Float[Array, "*rows S"], rows: Rows, discount: Scalar, step_size: Scalar
) -> tuple[Float[Array, "*rows S"], Float[Array, " T-1"]]:
    Row = tuple[Index, ...]

    # The norm is taken one step late: taken at once, XLA would read the table again after
    # the write, and so copy all of it at every step (250 times slower at S = 800).
    def advance(
        carry: tuple[Array, Array], transition: tuple[Row, Row]
    ) -> tuple[tuple[Array, Array], Array]:
        rep, previous = carry
        row, next_row = transition
        moved = move_row(rep, row, target(row[0], rep[next_row], discount), step_size)
        return moved, jnp.linalg.norm(previous)

    here = tuple(indices[:-1] for indices in rows)
    ahead = tuple(indices[1:] for indices in rows)
    begin = (rep, jnp.zeros_like(rep, shape=rep.shape[-1]))
    (rep, last), norms = jax.lax.scan(advance, begin, (here, ahead))
    return rep, jnp.append(norms[1:], jnp.linalg.norm(last))
