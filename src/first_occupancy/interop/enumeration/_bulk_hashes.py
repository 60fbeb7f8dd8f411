"""States as rows of words, and 64-bit hashes of them, computed in bulk on the device.

Equal states have equal words, whatever the sign of their zeros or the bits of their NaNs, so words
compare states exactly. Hashes find candidates fast; whoever uses them compares the words too.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32, UInt64

Words = UInt32[Array, " W"]


def words_of(tree: Any) -> Words:
    """Return all numbers of a tree of arrays as one row of 32-bit words.

    >>> words_of({"cell": jnp.array([1, 2], jnp.int8), "noise": jnp.float32(-0.0)}).tolist()
    [1, 2, 0]
    """
    leaves = [_words(jnp.asarray(leaf)) for leaf in jax.tree.leaves(tree)]
    return jnp.concatenate(leaves) if leaves else jnp.zeros(0, jnp.uint32)


def _words(leaf: Array) -> Words:
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if jnp.issubdtype(leaf.dtype, jnp.complexfloating):
        leaf = jnp.stack([leaf.real, leaf.imag])
    if jnp.issubdtype(leaf.dtype, jnp.floating):
        wide = leaf if leaf.dtype.itemsize >= 4 else leaf.astype(jnp.float32)
        # There are two zeros, and many NaNs.
        leaf = jnp.where(wide == 0, 0, jnp.where(jnp.isnan(wide), jnp.nan, wide)).astype(wide.dtype)
    elif leaf.dtype.itemsize < 4:
        leaf = leaf.astype(jnp.int32)
    return jax.lax.bitcast_convert_type(leaf, jnp.uint32).reshape(-1)


def hash_of(words: Words, salt: int) -> UInt32[Array, "2"]:
    """Return two independent hashes of a row of words.

    Each word is scrambled by a bijection of its own, multiplied by an odd number of its own, and
    the products are added up, so nothing is computed in sequence.
    """
    # On the host, so that the device need not compute constants.
    draws = np.random.default_rng(salt).integers(
        2**32, size=(2, 2, words.shape[0]), dtype=np.uint32
    )
    masks, factors = jnp.asarray(draws[0]), jnp.asarray(draws[1] | np.uint32(1))
    sums = (_scrambled(words[None] ^ masks) * factors).sum(axis=1, dtype=jnp.uint32)
    return _scrambled(sums + jnp.uint32(words.shape[0]))


def _scrambled(words: UInt32[Array, "*B"]) -> UInt32[Array, "*B"]:
    """Return the finalisation mix of MurmurHash3, a bijection of 32-bit words."""
    words = (words ^ (words >> 16)) * jnp.uint32(0x85EBCA6B)
    words = (words ^ (words >> 13)) * jnp.uint32(0xC2B2AE35)
    return words ^ (words >> 16)


def joined(pairs: UInt32[np.ndarray, "*B 2"]) -> UInt64[np.ndarray, "*B"]:
    """Return pairs of 32-bit hashes as 64-bit numbers."""
    wide = np.asarray(pairs).astype(np.uint64)
    return (wide[..., 0] << np.uint64(32)) | wide[..., 1]
