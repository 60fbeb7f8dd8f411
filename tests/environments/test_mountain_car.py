"""MountainCar against the installed Gymnasium."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.environments import mountain_car

step_all = jax.jit(jax.vmap(mountain_car.step))
LAST_BIT = np.array([[1.2e-7, 7.5e-9]])
"""The distance of neighbouring float32 numbers at position 1.2 and at velocity .07."""


@pytest.fixture(scope="module")
def reference():
    """Gymnasium's world without the wrappers that end episodes."""
    return gymnasium.make("MountainCarContinuous-v0").unwrapped


def reference_step(world, state, action):
    world.state = state
    return world.step(np.array([action]))[0]


def many_states(dtype):
    """Return states and actions from all over, at the walls, at rest and at top speed."""
    rng = np.random.default_rng(0)
    low, high = [-1.2, -0.07], [0.6, 0.07]
    states = rng.uniform(low, high, (4000, 2))
    states[:500, 0] = rng.choice([-1.2, 0.6], 500)
    states[400:900, 1] = rng.choice([-0.07, 0, 0.07], 500)
    return states.astype(dtype), rng.uniform(-1.5, 1.5, 4000).astype(dtype)


def test_constants_are_gymnasiums(reference):
    world = mountain_car
    assert (reference.min_position, reference.max_position) == (world.LEFT_WALL, world.RIGHT_WALL)
    assert (reference.max_speed, reference.power) == (world.TOP_SPEED, world.ENGINE)
    places = np.array([-1.0, 0.3])
    np.testing.assert_allclose(world.height(places), reference._height(places))


def test_steps_in_float64_are_gymnasiums_once_rounded_as_it_does(reference):
    states, actions = many_states(np.float64)
    ours = step_all(states, actions)
    theirs = [reference_step(reference, *each) for each in zip(states, actions, strict=True)]
    assert theirs[0].dtype == np.float32
    np.testing.assert_array_equal(np.asarray(ours).astype(np.float32), theirs)


def test_steps_in_float32_are_gymnasiums_to_the_last_bit_or_so(reference):
    states, actions = many_states(np.float32)
    ours = step_all(states, actions)
    theirs = [reference_step(reference, *each) for each in zip(states, actions, strict=True)]
    assert ours.dtype == np.float32
    assert (np.abs(np.asarray(ours) - theirs) <= LAST_BIT).all()


def test_left_wall_stops_the_car_and_the_right_one_holds_it():
    at_walls = jnp.array([[-1.19, -0.07], [0.59, 0.03]])
    after = step_all(at_walls, jnp.array([-1.0, 0.5]))
    np.testing.assert_array_equal(after[0], [-1.2, 0])
    assert after[1, 0] == 0.6
    assert after[1, 1] > 0.03


def test_a_wall_that_does_not_stop_the_car_holds_its_position_and_keeps_its_velocity():
    fast = jnp.array([-1.19, -0.05])
    stopped, kept = (mountain_car.step(fast, -1.0, wall_stops=stops) for stops in (True, False))
    assert float(stopped[0]) == float(kept[0]) == pytest.approx(-1.2)
    assert float(stopped[1]) == 0
    assert float(kept[1]) < -0.04
