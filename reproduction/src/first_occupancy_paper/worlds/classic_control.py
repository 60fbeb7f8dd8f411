"""Pendulum, MountainCar and Acrobot for many states at once, without rewards and ends.

The equations are those of Gymnasium's Pendulum-v1, MountainCarContinuous-v0 and Acrobot-v1 (the
equations of motion of Sutton and Barto's book); `tests/environments/test_classic_control.py`
compares every step. The code is ours: steps are JAX functions of whole batches, so that skills can
be tried out, and grids of states be stepped, in one call.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.environments import mountain_car

TORQUE, TOP_SPIN, PENDULUM_TIME, PENDULUM_GRAVITY = 2.0, 8.0, 0.05, 10.0
ACROBOT_TIME, GRAVITY = 0.2, 9.8
TOP_SPINS = (4 * np.pi, 9 * np.pi)
"""Largest angular velocities of Acrobot's two links."""

NUDGE = 0.1
"""Acrobot starts with all four numbers within this distance of hanging still."""

Step = Callable[[Float[Array, "B K"], Float[Array, " B"]], Float[Array, "B K"]]


@dataclass(frozen=True)
class ClassicControl:
    """A world with K numbers in a state and one number as action, deterministic and without end.

    Attributes:
        step: function from states and actions to the next states.
        observe: function from states to observations, as Gymnasium shows them.
        low: lowest value of each number of a state.
        high: highest value of each number of a state.
        wraps: whether each number of a state is an angle, for which `low` and `high` are the same.
        start_low: lowest value of each number of a first state; starts are uniform, as Gymnasium's.
        start_high: highest value of each number of a first state.
    """

    step: Step
    observe: Callable[[Float[Array, "B K"]], Float[Array, "B O"]]
    low: tuple[float, ...]
    high: tuple[float, ...]
    wraps: tuple[bool, ...]
    start_low: tuple[float, ...]
    start_high: tuple[float, ...]

    def starts(self, rng: np.random.Generator, size: int) -> Float[np.ndarray, "B K"]:
        """Return first states, drawn as Gymnasium draws them."""
        return rng.uniform(self.start_low, self.start_high, (size, len(self.low)))


def _wrapped(angles: Float[Array, "*B"]) -> Float[Array, "*B"]:
    return (angles + jnp.pi) % (2 * jnp.pi) - jnp.pi


@jax.jit
def pendulum_step(states: Float[Array, "B 2"], actions: Float[Array, " B"]) -> Float[Array, "B 2"]:
    """Return the states of pendulums (angle from upright, angular velocity) after one step."""
    angle, spin = states.T
    torque = jnp.clip(actions, -TORQUE, TORQUE)
    spin = spin + (1.5 * PENDULUM_GRAVITY * jnp.sin(angle) + 3 * torque) * PENDULUM_TIME
    spin = jnp.clip(spin, -TOP_SPIN, TOP_SPIN)
    return jnp.stack([_wrapped(angle + spin * PENDULUM_TIME), spin], axis=-1)


@jax.jit
def acrobot_step(states: Float[Array, "B 4"], actions: Float[Array, " B"]) -> Float[Array, "B 4"]:
    """Return the states of acrobots (two angles, two angular velocities) after one step.

    One step of fourth-order Runge-Kutta.

    Args:
        states: states before the step; both angles are 0 when the links hang down.
        actions: torques between the links, clipped to [-1, 1].
    """
    torque, size = jnp.clip(actions, -1, 1), ACROBOT_TIME
    first = _acrobot_change(states, torque)
    second = _acrobot_change(states + size / 2 * first, torque)
    third = _acrobot_change(states + size / 2 * second, torque)
    fourth = _acrobot_change(states + size * third, torque)
    after = states + size / 6 * (first + 2 * second + 2 * third + fourth)
    angles, spins = _wrapped(after[:, :2]), after[:, 2:]
    limits = jnp.asarray(TOP_SPINS, spins.dtype)[None]
    return jnp.concatenate([angles, jnp.clip(spins, -limits, limits)], axis=-1)


def _acrobot_change(states: Float[Array, "B 4"], torque: Float[Array, " B"]) -> Float[Array, "B 4"]:
    """Return the time derivative of states, for links of length, mass and inertia 1."""
    upper, lower, upper_spin, lower_spin = states.T
    inertia = 3.5 + jnp.cos(lower)
    coupling = 1.25 + 0.5 * jnp.cos(lower)
    pull = 0.5 * GRAVITY * jnp.sin(upper + lower)
    load = (
        -0.5 * lower_spin * (lower_spin + 2 * upper_spin) * jnp.sin(lower)
        + 1.5 * GRAVITY * jnp.sin(upper)
        + pull
    )
    push = torque + coupling / inertia * load - 0.5 * upper_spin**2 * jnp.sin(lower) - pull
    lower_change = push / (1.25 - coupling**2 / inertia)
    upper_change = -(coupling * lower_change + load) / inertia
    return jnp.stack([upper_spin, lower_spin, upper_change, lower_change], axis=-1)


def _seen_pendulum(states: Float[Array, "B 2"]) -> Float[Array, "B 3"]:
    angle, spin = states.T
    return jnp.stack([jnp.cos(angle), jnp.sin(angle), spin], axis=-1)


def _seen_acrobot(states: Float[Array, "B 4"]) -> Float[Array, "B 6"]:
    upper, lower, *spins = states.T
    angles = [jnp.cos(upper), jnp.sin(upper), jnp.cos(lower), jnp.sin(lower)]
    return jnp.stack([*angles, *spins], axis=-1)


def tip_height(
    observations: Float[Array | np.ndarray, "B 6"],
) -> Float[Array | np.ndarray, " B"]:
    """Return how high the tip of an acrobot is above its pivot, from -2 to 2."""
    upper, upper_sine, lower, lower_sine = observations.T[:4]
    return -upper - (upper * lower - upper_sine * lower_sine)


PENDULUM = ClassicControl(
    pendulum_step,
    jax.jit(_seen_pendulum),
    low=(-np.pi, -TOP_SPIN),
    high=(np.pi, TOP_SPIN),
    wraps=(True, False),
    start_low=(-np.pi, -1.0),
    start_high=(np.pi, 1.0),
)

MOUNTAIN_CAR = ClassicControl(
    jax.jit(jax.vmap(mountain_car.step)),
    lambda states: states,
    low=(mountain_car.LEFT_WALL, -mountain_car.TOP_SPEED),
    high=(mountain_car.RIGHT_WALL, mountain_car.TOP_SPEED),
    wraps=(False, False),
    start_low=(mountain_car.FIRST_START, 0.0),
    start_high=(mountain_car.LAST_START, 0.0),
)

ACROBOT = ClassicControl(
    acrobot_step,
    jax.jit(_seen_acrobot),
    low=(-np.pi, -np.pi, *(-each for each in TOP_SPINS)),
    high=(np.pi, np.pi, *TOP_SPINS),
    wraps=(True, True, False, False),
    start_low=(-NUDGE,) * 4,
    start_high=(NUDGE,) * 4,
)
