"""Walks through [0, 1], features of places in it, and the targets that are learned of them."""

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.representations.features.maps import radial_basis
from first_occupancy.representations.features.targets import (
    FirstOccupancy,
    SoftFirstOccupancy,
    Successor,
)

DISCOUNT = 0.8
BUMPS = radial_basis([0.0], [1.0], 3)
FINE = radial_basis([0.0], [1.0], 6)
TARGETS = (FirstOccupancy(jnp.array([0.9, 0.7, 0.6])), SoftFirstOccupancy(), Successor())


def one_hot(count):
    """Return the features of states, with which weights are tables."""
    return lambda state: jax.nn.one_hot(jnp.reshape(state, ()).astype(int), count, dtype=float)


def drifting_walks(*shape, seed=0):
    """Return walks [*shape 1] that drift upwards through [0, 1] and start anew from its end."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0.03, 0.05, shape)
    return jnp.asarray((rng.random((*shape[:-1], 1)) + steps.cumsum(axis=-1))[..., None] % 1)
