"""Continuous MountainCar: an engine too weak for the hill, so that the car must swing.

The step is that of Gymnasium's MountainCarContinuous-v0, in its order: force, speed limit,
move, walls. Nothing is rewarded and nothing ends an episode (the paper's "empty"
environment), so that what is learned serves any goal on the right-hand hill. A state is
(position, velocity), as Gymnasium's observations are.

Gymnasium keeps its state in float32, from the first step on. Here arithmetic is done in
the type of the state: float32 states follow Gymnasium up to the last bit of a cosine, and a
float64 step rounded to float32 is Gymnasium's from a float64 state.

Two facts of this world matter for what is learned in it. The top of the right-hand hill is
at .524 and the wall behind it, at .6, does not stop the car's velocity as the left one does:
a car that has passed the top never comes back. And the hill beyond the left wall is missing,
so a car of little power never gains enough for the upper part of the right-hand hill.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.core.errors import InputError, check_shape, is_known
from first_occupancy.core.mdp import floats

LEFT_WALL, RIGHT_WALL = -1.2, 0.6
TOP_SPEED = 0.07
ENGINE, GRAVITY = 0.0015, 0.0025
FIRST_START, LAST_START = -0.6, -0.4

VALLEY, HILLTOP = -np.pi / 6, np.pi / 6
"""Where the right-hand hill begins and ends; the height is proportional to sin(3 position)."""

POWERS = tuple(tenths / 10 for tenths in range(1, 10))
"""The paper's nine policies, |a_i| = 0.1 i."""


def step(state: Float[Array, " 2"], action: Scalar) -> Float[Array, " 2"]:
    """Return the state after one step with an action, which is cut to [-1, 1]."""
    position, velocity = state
    force = jnp.clip(action, -1.0, 1.0)
    velocity = velocity + (force * ENGINE - GRAVITY * jnp.cos(3 * position))
    velocity = jnp.clip(velocity, -TOP_SPEED, TOP_SPEED)
    position = jnp.clip(position + velocity, LEFT_WALL, RIGHT_WALL)
    hits_the_left_wall = (position == LEFT_WALL) & (velocity < 0)
    return jnp.stack([position, jnp.where(hits_the_left_wall, 0, velocity)])


def swing(state: Float[Array, " 2"], power: Scalar) -> Float[Array, ""]:
    """Return the action of the paper's fixed-power policy.

    It accelerates in the direction of motion and, at rest, away from the car's side of
    position 0: to the right from every start and from the left wall.
    """
    position, velocity = state
    return jnp.where(velocity == 0, -jnp.sign(position), jnp.sign(velocity)) * power


def draw_starts(key: PRNGKey, num_starts: int) -> Float[Array, "B 2"]:
    """Return states at rest, drawn from [-.6, -.4] as Gymnasium's `reset` does."""
    positions = jax.random.uniform(key, (num_starts,), minval=FIRST_START, maxval=LAST_START)
    return _at_rest(positions)


def start_grid(num_starts: int) -> Float[Array, "B 2"]:
    """Return states at rest, evenly over [-.6, -.4], to average over starts without chance.

    They are the midpoints of equal parts of the interval, so a plain mean over them is the
    midpoint rule for the expectation over starts.
    """
    if num_starts < 1:
        raise InputError(f"start_grid: num_starts must be at least 1, got {num_starts}")
    parts = (jnp.arange(num_starts) + 0.5) / num_starts
    return _at_rest(FIRST_START + (LAST_START - FIRST_START) * parts)


def _at_rest(positions: Float[Array, " B"]) -> Float[Array, "B 2"]:
    return jnp.stack([positions, jnp.zeros_like(positions)], axis=-1)


def rollouts(
    starts: Float[Array, "*B 2"], powers: Float[ArrayLike, " N"], *, num_steps: int
) -> Float[Array, "N *B T 2"]:
    """Return the walks of fixed-power policies, T = `num_steps` + 1 states from each start.

    World and policies are deterministic: all chance is in the starts.
    """
    starts = floats(starts)
    check_shape("rollouts", "starts", starts, "*B K")
    powers = jnp.asarray(powers, starts.dtype)
    check_shape("rollouts", "powers", powers, "N")
    if starts.shape[-1] != 2:
        raise InputError(
            f"rollouts: starts must be pairs (position, velocity), got {starts.shape[-1]} numbers"
        )
    return _rollouts(starts, powers, num_steps)


@partial(jax.jit, static_argnames="num_steps")
def _rollouts(starts: Array, powers: Array, num_steps: int) -> Array:
    def walk(power: Array, start: Array) -> Array:
        def advance(state: Array, _: None) -> tuple[Array, Array]:
            following = step(state, swing(state, power))
            return following, following

        _, states = jax.lax.scan(advance, start, length=num_steps)
        return jnp.concatenate([start[None], states])

    from_all = jax.vmap(jax.vmap(walk, (None, 0)), (0, None))
    walks = from_all(powers, starts.reshape(-1, 2))
    return walks.reshape(len(powers), *starts.shape[:-1], num_steps + 1, 2)


def arrival_times(
    walks: Float[Array, "*B T 2"], goals: Float[ArrayLike, " G"]
) -> Float[Array, "*B G"]:
    """Return after how many steps each goal is reached first; infinity if never.

    A goal is a position on the right-hand hill, and reached by the first state at or beyond
    it: a car moves by up to .07 a step, so few walks have a state at the goal itself, and
    Gymnasium's own flag is reached in the same way. With infinity for never,
    `discount ** arrival_times(...)` is the worth of a goal that pays 1 and ends the walk.
    """
    goals = jnp.asarray(goals, walks.dtype)
    check_shape("arrival_times", "goals", goals, "G")
    if is_known(goals) and not ((goals > LAST_START) & (goals <= RIGHT_WALL)).all():
        raise InputError(
            f"arrival_times: goals must be right of the starts, above {LAST_START} and "
            f"at most {RIGHT_WALL}, got {[round(goal, 6) for goal in goals.tolist()]}"
        )
    there = walks[..., 0][..., None, :] >= goals.reshape(*[1] * (walks.ndim - 2), -1, 1)
    return jnp.where(there.any(axis=-1), there.argmax(axis=-1), jnp.inf).astype(walks.dtype)


def height(positions: Float[ArrayLike, "*B"]) -> Float[Array, "*B"]:
    """Return how high the track is, in Gymnasium's units for drawing it."""
    return jnp.sin(3 * jnp.asarray(positions)) * 0.45 + 0.55
