"""Continuous MountainCar: the engine is too weak for the hill, so the car must swing.

The step is that of Gymnasium's MountainCarContinuous-v0, in its order: force, speed limit,
move, walls. There are no rewards and episodes do not end (the paper's "empty" environment), so what
is learned serves any goal on the right-hand hill. A state is (position, velocity), like
Gymnasium's observations.

Gymnasium keeps its state in float32, from the first step on. Here the arithmetic has the dtype of
the state: float32 states follow Gymnasium up to the last bit of a cosine, and a float64 step
rounded to float32 is Gymnasium's step from a float64 state.
"""

import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from first_occupancy.core.axes import Scalar

LEFT_WALL, RIGHT_WALL = -1.2, 0.6
TOP_SPEED = 0.07
ENGINE, GRAVITY = 0.0015, 0.0025
FIRST_START, LAST_START = -0.6, -0.4


def step(
    state: Float[Array, " 2"], action: Scalar, *, wall_stops: bool = True
) -> Float[Array, " 2"]:
    """Return the state after one step.

    Args:
        action: force as a fraction of the engine's, clipped to [-1, 1]; positive to the right.
        wall_stops: whether the left wall sets the velocity to 0, as Gymnasium's does; otherwise it
            only holds the position, and the car has to brake before it can turn round.
    """
    position, velocity = state
    force = jnp.clip(action, -1.0, 1.0)
    velocity = velocity + (force * ENGINE - GRAVITY * jnp.cos(3 * position))
    velocity = jnp.clip(velocity, -TOP_SPEED, TOP_SPEED)
    position = jnp.clip(position + velocity, LEFT_WALL, RIGHT_WALL)
    hits_the_left_wall = wall_stops & (position == LEFT_WALL) & (velocity < 0)
    return jnp.stack([position, jnp.where(hits_the_left_wall, 0, velocity)])


def height(positions: Float[ArrayLike, "*B"]) -> Float[Array, "*B"]:
    """Return the height of the track, in the units in which Gymnasium draws it."""
    return jnp.sin(3 * jnp.asarray(positions)) * 0.45 + 0.55
