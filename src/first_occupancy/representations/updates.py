r"""Updating the SR after a wall or a door has changed, without a new solve.

A changed wall affects only a few rows R of the chain, those of the states that lead to it. Every
visit happens either before the chain first enters R, or after (`_solvers/entries.py`):

$$M = N + H M_R, \qquad M' = N + H M'_R.$$

The visits N before R and the expected discounts H at the first entry depend on the other rows
only, so they are the same before and after the change, and

$$M' = M + H\,(M'_R - M_R).$$

H and the new rows $M'_R$ are solved for in float64, with one sparse factorisation; the rest is one
pass over M instead of $2 S^3$ operations. The old rows of the chain are not needed.

**Accuracy.** The only subtraction is $M - H M_R = N$, and $H M_R$ is at most M. With relative
errors of $\delta$ in a column of M, those of a new entry $M'$ are up to $2 \delta M / M'$. So
entries that fall below `LOST` times their old value are marked and solved for again, in a few rows
and columns that contain them all.

**Zeros.** A planner takes any entry other than 0 for a path. If the change may have cut off some
state from another, zeros are determined from the support of the new chain
(`_solvers/entries.py`), not numerically.

**Repeated changes.** Each change inherits the errors of the SR it starts from. Opening and closing
one door repeatedly adds rounding errors but does not amplify them. But an entry that shrinks a
little in each of several changes is never marked: after 60 different changes of chains of 40
states, at a discount of .999, entries were off by 1e-11. For full precision, keep the SR of the
last solve, and apply all changes since then at once, with `states` naming the rows of all of them.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.errors import (
    InputError,
    check_discount,
    check_shape,
    check_states,
    warn_of_discount,
)
from first_occupancy.core.mdp import floats
from first_occupancy.representations._solvers.entries import SplitSR, reachable_pairs, split_sr
from first_occupancy.representations._solvers.sparse import Chain, sparse_chain

LOST = 1 / 16
"""An entry that falls below this fraction of its old value is solved for again."""

MARK = -1.0
"""Marks an entry that has to be solved for again; visits are never negative."""

THIN = 16
"""Changes of up to this rank are added in one pass over the SR, without a temporary array."""


def change_rows(
    sr: Float[Array, "S S"], chain: Chain, states: Int[np.ndarray, " R"], *, discount: float
) -> Float[Array, "S S"]:
    r"""Return the SR of `chain`, given that of a chain that differs only in the rows `states`.

    The states keep their numbers: a cell that becomes a wall leads only to itself, and the cells
    around it no longer lead to it (`Maze.with_walls`). `first_occupancy.from_visits` turns the
    result into the FR.

    States with unchanged rows may be named too, but changing many rows costs more than solving:
    keep R below a tenth of S. The result has the precision of `sr`, at least single;
    `docs/accuracy.md` bounds its errors. M(s, g) is exactly 0 if the new chain cannot get from s to
    g, and exceeds M(g, g) by no more than a rounding error, so that planners accept the FR.

    Raises:
        InputError: if the shapes do not match, a row of `chain` is not a distribution, or `states`
            repeats a state or names one outside 0..S-1.

    >>> old, new = jnp.array([[0.5, 0.5], [0.0, 1.0]]), jnp.array([[1.0, 0.0], [0.0, 1.0]])
    >>> sr = jnp.linalg.inv(jnp.eye(2) - 0.5 * old)
    >>> change_rows(sr, new, np.array([0]), discount=0.5).tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    check_discount("change_rows", discount)
    check_shape("change_rows", "sr", sr, "S S")
    warn_of_discount("change_rows", discount, jnp.result_type(sr))
    rows, states = sparse_chain("change_rows", chain, discount), np.asarray(states)
    shape = np.broadcast_to(0.0, rows.shape)
    check_shape("change_rows", "chain", shape, "S S", like="sr", S=len(sr))
    check_states("change_rows", "states", states, len(sr))
    if len(np.unique(states)) != states.size:
        raise InputError(f"change_rows: states must differ from each other, got {states.tolist()}")
    return _changed(floats(sr), rows, states, discount) if len(states) else floats(sr)


def _changed(
    sr: Float[Array, "S S"],
    chain: csr_array,
    states: Int[np.ndarray, " R"],
    discount: float,
) -> Float[Array, "S S"]:
    before = np.asarray(sr[states], np.float64)
    split = split_sr(chain, states, discount)
    dtype = jnp.result_type(sr)
    gain = jnp.asarray(split.visits - before, dtype)
    changed = _sum(sr, jnp.asarray(split.entries, dtype), gain)
    changed = _set_rows(changed, states, split.visits)
    changed = _set_columns(changed, states, split.own_columns())
    if _may_cut_off(split, before):
        changed = _keep(changed, reachable_pairs(chain))
    return _without_marks(changed, split)


def _may_cut_off(split: SplitSR, before: Float[np.ndarray, "R S"]) -> bool:
    """Return whether a changed state that others can enter no longer reaches some other state."""
    entered = np.delete(split.entries, split.states, axis=0).any(axis=0)
    lost = np.delete((before > 0) & (split.visits == 0), split.states, axis=1)
    return bool(lost[entered].any())


def _without_marks(changed: Float[Array, "S S"], split: SplitSR) -> Float[Array, "S S"]:
    """Return the SR with the marked entries solved for again, in whole rows and columns."""
    if changed.min() >= 0:
        return changed
    marked = np.array(changed < 0)
    # A mark on the diagonal needs its column: `_set_rows` keeps the diagonal, which FRs divide by.
    diagonal = np.flatnonzero(marked.diagonal())
    marked[:, diagonal] = False
    starts, goals = _cover(marked)
    goals = np.union1d(goals, diagonal)
    if len(starts):
        order = _filled_up(len(starts))
        changed = _set_rows(changed, starts[order], split.rows(starts)[order])
    if len(goals):
        order = _filled_up(len(goals))
        changed = _set_columns(changed, goals[order], split.columns(goals)[:, order])
    return changed


def _cover(
    marked: Bool[np.ndarray, "S S"],
) -> tuple[Int[np.ndarray, " B"], Int[np.ndarray, " G"]]:
    """Return a few rows and columns that contain all marks; clears `marked`.

    Greedy: repeatedly takes the row with most marks and all rows with at least half as many, or
    columns in the same way if some column has more. For one changed wall in a maze, the result was
    within 12% of the minimum.
    """
    lines = marked, marked.T
    counts = [marks.sum(axis=1, dtype=np.int32) for marks in lines]
    taken = [np.zeros(len(marked), bool), np.zeros(len(marked), bool)]
    while counts[0].any():
        side = int(counts[1].max() > counts[0].max())
        full = 2 * counts[side] >= counts[side].max()
        counts[1 - side] -= lines[side][full].sum(axis=0, dtype=np.int32)
        counts[side][full] = 0
        lines[side][full] = False
        taken[side] |= full
    return np.flatnonzero(taken[0]), np.flatnonzero(taken[1])


def _filled_up(count: int) -> Int[np.ndarray, " K"]:
    """Return 0 to count - 1, padded in front with zeros so that K is a power of two.

    Otherwise each number of rows or columns would be compiled separately.
    """
    missing = (1 << (count - 1).bit_length()) - count
    return np.pad(np.arange(count), (missing, 0))


@jax.jit
def _sum(
    sr: Float[Array, "S S"], entries: Float[Array, "S R"], gain: Float[Array, "R S"]
) -> Float[Array, "S S"]:
    """Return M + H (M'_R - M_R), with a mark in place of each entry that has lost digits."""
    changed = sr + _outer(entries, gain)
    # A state is visited most often from itself. The bound keeps entries of the FR at most 1.
    most = jnp.diagonal(sr) + (entries * gain.T).sum(axis=1)
    return jnp.where(changed < LOST * sr, MARK, jnp.minimum(changed, most[None]))


@partial(jax.jit, donate_argnums=0)
def _keep(sr: Float[Array, "S S"], kept: Bool[Array, "S S"]) -> Float[Array, "S S"]:
    return jnp.where(kept, sr, 0)


@partial(jax.jit, donate_argnums=0)
def _set_rows(
    sr: Float[Array, "S S"], starts: Int[Array, " B"], rows: Float[Array, "B S"]
) -> Float[Array, "S S"]:
    """Return the SR with rows replaced: the diagonal is kept, and bounds the new entries."""
    most = jnp.diagonal(sr)
    rows = jnp.minimum(rows.astype(sr.dtype), most[None])
    return sr.at[starts].set(rows).at[starts, starts].set(most[starts])


@partial(jax.jit, donate_argnums=0)
def _set_columns(
    sr: Float[Array, "S S"], goals: Int[Array, " G"], columns: Float[Array, "S G"]
) -> Float[Array, "S S"]:
    return sr.at[:, goals].set(columns.astype(sr.dtype))


def _outer(left: Float[Array, "S R"], right: Float[Array, "R S"]) -> Float[Array, "S S"]:
    """Return the product of a tall and a flat matrix; for low rank, as sums that XLA fuses."""
    if left.shape[1] > THIN:
        return jnp.matmul(left, right, precision="highest")
    total = jnp.zeros((len(left), len(left)), left.dtype)
    for column, row in zip(left.T, right, strict=True):
        total = total + column[:, None] * row[None, :]
    return total
