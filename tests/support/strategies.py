"""Random chains, worlds, discounts and goals for the property tests.

Few sizes, because JAX compiles anew for each. Everything comes from a seed, so that a
failing example prints as one number.
"""

import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

from first_occupancy.core import MDP

SIZES = (2, 3, 5)
seeds = st.integers(0, 2**32 - 1)
sizes = st.sampled_from(SIZES)
# XLA rounds what lies below the smallest normal number to 0, and powers come there from above.
discounts = st.just(0.0) | st.floats(1e-60, 0.98)


def distributions(rng, *shape):
    """Return rows of probabilities of which about half are exactly 0, and some certain."""
    rows = rng.random(shape) * (rng.random(shape) < 0.5)
    certain = rng.integers(shape[-1], size=shape[:-1])
    empty = rows.sum(axis=-1) == 0
    rows[empty] = np.eye(shape[-1])[certain][empty]
    return rows / rows.sum(axis=-1, keepdims=True)


def random_chain(rng, size):
    """Return a Markov chain with zeros and, more often than not, absorbing states."""
    chain = distributions(rng, size, size)
    absorbing = rng.random(size) < 0.2
    chain[absorbing] = np.eye(size)[absorbing]
    return chain


@st.composite
def chains(draw):
    return jnp.asarray(random_chain(np.random.default_rng(draw(seeds)), draw(sizes)))


@st.composite
def square_pairs(draw):
    """Return a chain and two arrays of its shape with any numbers in them."""
    rng, size = np.random.default_rng(draw(seeds)), draw(sizes)
    first, second = rng.normal(size=(2, size, size)) * 10.0 ** rng.integers(-3, 4)
    return jnp.asarray(random_chain(rng, size)), jnp.asarray(first), jnp.asarray(second)


@st.composite
def transitions(draw, num_actions=2):
    """Return the dynamics of a small world, [S A S]."""
    rng, size = np.random.default_rng(draw(seeds)), draw(sizes)
    return jnp.asarray(distributions(rng, size, num_actions, size))


@st.composite
def successor_tables(draw, num_policies=2):
    """Return where each deterministic policy leads from each state, [N S]."""
    rng, size = np.random.default_rng(draw(seeds)), draw(sizes)
    return rng.integers(size, size=(num_policies, size))


def random_world(seed, size=3, num_actions=2):
    """Return a world with rewards, all of it from a seed."""
    rng = np.random.default_rng(seed)
    return MDP(distributions(rng, size, num_actions, size), rng.random((size, num_actions, size)))


def tied_frs(size, *, count=3, dtype=np.float64):
    """Return FRs with many zeros and equal entries, so that ties are everywhere."""
    rng = np.random.default_rng(size)
    frs = 0.5 ** rng.integers(1, 7, (count, size, size)) * (rng.random((count, size, size)) < 0.1)
    frs[:, np.arange(size), np.arange(size)] = 1
    return frs.astype(dtype)


def random_legs(*shape, share=0.3, dtype=np.float64):
    """Return logs of discounts, minus infinity but for a share of them."""
    rng = np.random.default_rng(sum(shape))
    legs = np.log(rng.random(shape))
    legs[rng.random(shape) > share] = -np.inf
    return legs.astype(dtype)


def random_paths(seed):
    """Return where one to three policies lead in a world of up to eight states, and a goal."""
    rng = np.random.default_rng(seed)
    count, size = int(rng.integers(1, 4)), int(rng.integers(1, 9))
    table = rng.integers(size, size=(count, size))
    if seed % 2:  # Steps along a line make many ways equally long.
        table = np.clip(np.arange(size) + rng.integers(-2, 3, (count, 1)), 0, size - 1)
    return table, int(rng.integers(size))
