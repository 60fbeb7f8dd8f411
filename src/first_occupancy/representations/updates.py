r"""The SR after a wall or a door has changed, without a new solve.

A changed wall touches the rows R of the chain that lead to it, a handful of S. With the new
rows $P'_R$ and $V = \gamma P'_R M - M_R + I_R$ (what they lead to, less what the old rows did),

$$M' = M + M'_{\cdot R}\, V,$$

which is $M' - M = M'\,(\gamma P' - \gamma P)\, M$: two passes over M instead of $2 S^3$ operations.
The new columns $M'_{\cdot R}$ are solved for (`sparse`); to get them from M (Woodbury) takes the
inverse of an R x R matrix that is nearly singular where doors open in a world with long memory.
The old rows are not needed, since $\gamma P M = M - I$ holds what they led to.

V is a difference, so an entry that nearly vanishes, say behind a door that was closed, has
lost digits; a planner would take the rest for a path. Each entry's size is therefore
compared with that of the terms it is made of. Where one is below `LOST` of its terms, its row
or its column is solved anew (`sparse`), and so are those of the changed states. The other
entries are right to about 1e-11 of themselves (1e-3 in float32).

A change built on a change inherits its errors and multiplies them. Closing and opening one door
over and over loses a digit every ten changes or so (6e-12 after 20, 5e-8 after 50, none left after
100, in a maze of 45 cells with a noise of .3, at .95); different changes near a discount of 1 may
lose one each (8 states, .999: none left after 15). So keep the SR of the last solve, and make all
changes since then at once, in the rows of all of them.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.errors import InputError, check_discount, check_indices, check_shape
from first_occupancy.representations._solvers.sparse import Chain, Factors, sparse_chain

LOST = 1e-4
"""An entry smaller than this part of its terms has lost too many digits to be kept."""

THIN = 16
"""Up to this rank a change is added in one pass over the SR, without an array of its own."""


def change_rows(
    sr: Float[Array, "S S"], chain: Chain, states: Int[np.ndarray, " R"], discount: float
) -> Float[Array, "S S"]:
    """Return the SR of `chain`, given that of a chain that differs only in the rows `states`.

    The states stay the same ones: a cell that becomes a wall leads nowhere but to itself,
    and the cells around it no longer lead there. The FR follows by
    `first_occupancy.from_successor`. The chain may be dense or sparse. Changing many rows costs
    more than solving: keep R below a tenth of S.

    >>> old, new = jnp.array([[0.5, 0.5], [0.0, 1.0]]), jnp.array([[1.0, 0.0], [0.0, 1.0]])
    >>> sr = jnp.linalg.inv(jnp.eye(2) - 0.5 * old)
    >>> change_rows(sr, new, np.array([0]), 0.5).tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    checked = _checked("change_rows", sr, chain, states, discount)
    return _changed(sr, *checked, discount, _add) if len(states) else sr


def change_rows_in_place(
    sr: Float[Array, "S S"], chain: Chain, states: Int[np.ndarray, " R"], discount: float
) -> Float[Array, "S S"]:
    """Return what `change_rows` does, in the memory of `sr`, which cannot be used afterwards.

    Half the memory and about half the time: most of what `change_rows` takes goes into
    getting fresh memory for the result.
    """
    checked = _checked("change_rows_in_place", sr, chain, states, discount)
    return _changed(sr, *checked, discount, _add_in_place) if len(states) else sr


def _checked(
    caller: str,
    sr: Float[Array, "S S"],
    chain: Chain,
    states: Int[np.ndarray, " R"],
    discount: float,
) -> tuple[csr_array, Int[np.ndarray, " R"]]:
    """Return the chain as sparse rows and the states as an array, or raise."""
    check_discount(caller, discount)
    check_shape(caller, "sr", sr, "S S")
    rows = sparse_chain(caller, chain, discount)
    if rows.shape != sr.shape:
        raise InputError(
            f"{caller}: chain must have the SR's shape {list(sr.shape)}, got {list(rows.shape)}"
        )
    states = np.asarray(states)
    if states.ndim != 1:
        raise InputError(f"{caller}: states must be a list of states, got shape {states.shape}")
    check_indices(caller, "states", states, len(sr))
    if len(np.unique(states)) != states.size:
        raise InputError(f"{caller}: states must differ from each other, got {states.tolist()}")
    return rows, states


def _changed(
    sr: Float[Array, "S S"],
    chain: csr_array,
    states: Int[np.ndarray, " R"],
    discount: float,
    add: Callable[[Float[Array, "S S"], "_Change"], Float[Array, "S S"]],
) -> Float[Array, "S S"]:
    gain = _gain(sr, states, *_support(chain, states, discount))
    # JAX does not wait for what it computes, so this goes on while SciPy factorises.
    factors = Factors(chain, discount)
    columns = factors.columns(states)
    change = _Change(jnp.asarray(states), jnp.asarray(columns, jnp.result_type(sr)), *gain)
    lost = _lost_rows(sr, change)
    starts, goals = states, states
    if lost.any():
        # Either the rows or the columns of lost entries cover them all: take the fewer.
        begins, ends = np.flatnonzero(lost), np.flatnonzero(_lost(sr, change).any(axis=0))
        if len(begins) < len(ends):
            starts = np.union1d(states, begins)
        else:
            goals = np.union1d(states, ends)
            columns = factors.columns(goals)
    return _replace(add(sr, change), starts, factors.rows(starts), goals, columns)


class _Change(NamedTuple):
    """A change of low rank, M' = M + visits @ gain, and the sizes of the terms of `gain`."""

    states: Int[Array, " R"]
    visits: Float[Array, "S R"]
    gain: Float[Array, "R S"]
    terms: Float[Array, "R S"]


def _support(
    chain: csr_array, states: Int[np.ndarray, " R"], discount: float
) -> tuple[Int[np.ndarray, " K"], Float[np.ndarray, "R K"]]:
    """Return the states that some of the rows lead to, and with what discounted chance."""
    rows = chain[states]
    following = np.unique(rows.indices)
    chances = discount * rows[:, following].toarray()
    # Filled up with chances of 0 to a power of two, or each number of states would compile anew.
    missing = (1 << (len(following) - 1).bit_length()) - len(following)
    return np.pad(following, (0, missing)), np.pad(chances, ((0, 0), (0, missing)))


@jax.jit
def _gain(
    sr: Float[Array, "S S"],
    states: Int[Array, " R"],
    following: Int[Array, " K"],
    chances: Float[Array, "R K"],
) -> tuple[Float[Array, "R S"], Float[Array, "R S"]]:
    """Return what the new rows lead to, less what the old rows did, and the sizes of the terms."""
    before = sr[states]
    after = jnp.matmul(chances.astype(sr.dtype), sr[following], precision="highest")
    return after - before + jax.nn.one_hot(states, len(sr), dtype=sr.dtype), before + after


def _sum(sr: Float[Array, "S S"], change: _Change) -> Float[Array, "S S"]:
    return sr + _outer(change.visits, change.gain)


_add = jax.jit(_sum)
_add_in_place = jax.jit(_sum, donate_argnums=0)


@jax.jit
def _lost_rows(sr: Float[Array, "S S"], change: _Change) -> Bool[Array, " S"]:
    """Return the rows in which some entry has lost its digits."""
    return _lost(sr, change).any(axis=1)


@jax.jit
def _lost(sr: Float[Array, "S S"], change: _Change) -> Bool[Array, "S S"]:
    """Return which entries have lost their digits, besides the changed states' own."""
    kept = jnp.ones(len(sr), bool).at[change.states].set(False)
    # The new entry less LOST times the sum of its terms' sizes, in one product. Entries
    # without any terms are exactly 0, and rightly so.
    spare = (1 - LOST) * sr + _outer(change.visits, change.gain - LOST * change.terms)
    return (spare < 0) & kept[:, None] & kept[None, :]


def _outer(left: Float[Array, "S R"], right: Float[Array, "R S"]) -> Float[Array, "S S"]:
    """Return the product of a tall and a flat matrix; a thin one as sums that XLA fuses."""
    if left.shape[1] > THIN:
        return jnp.matmul(left, right, precision="highest")
    total = jnp.zeros((len(left), len(left)), left.dtype)
    for column, row in zip(left.T, right, strict=True):
        total = total + column[:, None] * row[None, :]
    return total


@partial(jax.jit, donate_argnums=0)
def _replace(
    sr: Float[Array, "S S"],
    starts: Int[Array, " B"],
    rows: Float[Array, "B S"],
    goals: Int[Array, " G"],
    columns: Float[Array, "S G"],
) -> Float[Array, "S S"]:
    return sr.at[starts].set(rows.astype(sr.dtype)).at[:, goals].set(columns.astype(sr.dtype))
