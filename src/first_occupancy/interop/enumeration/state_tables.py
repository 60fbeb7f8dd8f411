"""From states to their numbers, under `jit` and `vmap`."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt32

from first_occupancy.interop.enumeration._bulk_hashes import Words, hash_of

UNKNOWN = -1
"""The number of a state that is not in the table."""


class StateTable(eqx.Module):
    """The rows of words of all states, sorted by hash: a lookup compares only a few rows.

    Attributes:
        words: row of words of each state, in the order of `hashes`.
        hashes: first hash of each row, ascending.
        numbers: number of the state of each row.
        most_alike: how many rows at most have the same hash.
    """

    words: UInt32[Array, "S W"]
    hashes: UInt32[Array, " S"]
    numbers: Int[Array, " S"]
    most_alike: int = eqx.field(static=True)

    def number(self, words: Words) -> Int[Array, ""]:
        """Return the number of the state with these words, or -1 if there is none."""
        first = jnp.searchsorted(self.hashes, hash_of(words, 0)[0])
        rows = jnp.minimum(first + jnp.arange(self.most_alike), len(self.numbers) - 1)
        same = (self.words[rows] == words[None]).all(axis=1)
        return jnp.where(same.any(), self.numbers[rows[same.argmax()]], UNKNOWN)


def state_table(words: UInt32[np.ndarray, "S W"]) -> StateTable:
    """Return the table of states that are numbered in the order of their rows.

    >>> table = state_table(np.array([[3, 1], [4, 1]], np.uint32))
    >>> int(table.number(jnp.array([4, 1], jnp.uint32))), int(table.number(jnp.zeros(2, "uint32")))
    (1, -1)
    """
    with jax.ensure_compile_time_eval():  # the first use may be inside `jit`
        hashes = np.asarray(jax.vmap(lambda row: hash_of(row, 0)[0])(jnp.asarray(words)))
        order = np.argsort(hashes, kind="stable")
        return StateTable(
            words=jnp.asarray(words[order]),
            hashes=jnp.asarray(hashes[order]),
            numbers=jnp.asarray(order, jnp.int32),
            most_alike=int(np.unique(hashes, return_counts=True)[1].max()),
        )
