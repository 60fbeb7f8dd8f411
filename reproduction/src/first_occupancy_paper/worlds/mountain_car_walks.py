"""Walks of the paper's fixed-power policies in MountainCar, and when they first reach a goal.

Two properties of this world affect learning. The top of the right-hand hill is at 0.524. The wall
behind it, at 0.6, does not stop the car, so a car that has passed the top never comes back. The
left wall stops it, which is Gymnasium's rule; the paper does not print its dynamics, and
`wall_stops=False` is the other reading. The left wall also cuts off the hill on that side, so a car
of low power never gains enough speed for the upper part of the right-hand hill.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.core.errors import InputError, check_shape, is_known
from first_occupancy.core.mdp import floats
from first_occupancy.environments.mountain_car import (
    FIRST_START,
    LAST_START,
    RIGHT_WALL,
    step,
)

POWERS = tuple(tenths / 10 for tenths in range(1, 10))
"""Powers of the paper's nine policies, |a_i| = 0.1 i."""


def swing(state: Float[Array, " 2"], power: Scalar) -> Float[Array, ""]:
    """Return the action of the paper's fixed-power policy.

    It accelerates in the direction of motion. At rest it accelerates towards position 0, which
    is to the right from every start and from the left wall.
    """
    position, velocity = state
    return jnp.where(velocity == 0, -jnp.sign(position), jnp.sign(velocity)) * power


def draw_starts(key: PRNGKey, num_starts: int) -> Float[Array, "B 2"]:
    """Return states at rest, with positions drawn uniformly from [-.6, -.4] as in Gymnasium."""
    positions = jax.random.uniform(key, (num_starts,), minval=FIRST_START, maxval=LAST_START)
    return jnp.stack([positions, jnp.zeros_like(positions)], axis=-1)


def start_grid(num_starts: int) -> Float[Array, "B 2"]:
    """Return states at rest, evenly spaced over [-.6, -.4], for deterministic averages over starts.

    They are the midpoints of equal parts of the interval, so their mean is the midpoint rule for
    the expectation over random starts.
    """
    if num_starts < 1:
        raise InputError(f"start_grid: num_starts must be at least 1, got {num_starts}")
    parts = (jnp.arange(num_starts) + 0.5) / num_starts
    positions = FIRST_START + (LAST_START - FIRST_START) * parts
    return jnp.stack([positions, jnp.zeros_like(positions)], axis=-1)


def rollouts(
    starts: Float[Array, "*B 2"],
    powers: Float[ArrayLike, " N"],
    *,
    num_steps: int,
    wall_stops: bool = True,
) -> Float[Array, "N *B T 2"]:
    """Return the trajectories of fixed-power policies, T = `num_steps` + 1 states from each start.

    World and policies are deterministic: only the starts may be random.

    Args:
        powers: powers of the policies, as for `swing`.
        wall_stops: whether the left wall sets the velocity to 0, as for `step`.

    Raises:
        InputError: if `starts` are not pairs, or `powers` is not one-dimensional.
    """
    starts = floats(starts)
    check_shape("rollouts", "starts", starts, "*B K")
    powers = jnp.asarray(powers, starts.dtype)
    check_shape("rollouts", "powers", powers, "N")
    if starts.shape[-1] != 2:
        raise InputError(
            f"rollouts: starts must be pairs (position, velocity), got {starts.shape[-1]} numbers"
        )
    return _rollouts(starts, powers, num_steps, wall_stops)


@partial(jax.jit, static_argnames=("num_steps", "wall_stops"))
def _rollouts(starts: Array, powers: Array, num_steps: int, wall_stops: bool) -> Array:
    def walk(power: Array, start: Array) -> Array:
        def advance(state: Array, _: None) -> tuple[Array, Array]:
            following = step(state, swing(state, power), wall_stops=wall_stops)
            return following, following

        _, states = jax.lax.scan(advance, start, length=num_steps)
        return jnp.concatenate([start[None], states])

    from_all = jax.vmap(jax.vmap(walk, (None, 0)), (0, None))
    walks = from_all(powers, starts.reshape(-1, 2))
    return walks.reshape(len(powers), *starts.shape[:-1], num_steps + 1, 2)


def arrival_times(
    walks: Float[Array, "*B T 2"], goals: Float[ArrayLike, " G"]
) -> Float[Array, "*B G"]:
    """Return the number of steps until each goal is first reached; infinity if it is not.

    The first state at or beyond a goal reaches it: a car moves by up to 0.07 a step, so few
    trajectories have a state at the goal itself, and Gymnasium's own flag is reached in the same
    way. Since never is infinity, `discount ** arrival_times(...)` is the value of a goal that pays
    1 and ends the episode.

    Args:
        walks: trajectories, as `rollouts` returns them.
        goals: positions to reach, right of all starts and at most at the right wall.

    Raises:
        InputError: if a goal lies outside.
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
