"""MountainCar against the installed Gymnasium, and first arrivals against a plain loop."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy.environments import mountain_car

POWERS = np.array(mountain_car.POWERS)
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


def paper_policy(power, position, velocity):
    if velocity == 0:
        return -np.sign(position) * power
    return np.sign(velocity) * power


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


def test_walks_of_all_nine_policies_are_gymnasiums(reference):
    starts = np.array([[-0.6, 0], [-0.5137, 0], [-0.4, 0]], np.float32)
    walks = np.asarray(mountain_car.rollouts(jnp.asarray(starts), POWERS, num_steps=250))
    assert walks.shape == (9, 3, 251, 2)
    for power, of_policy in zip(POWERS.astype(np.float32), walks, strict=True):
        for start, walk in zip(starts, of_policy, strict=True):
            state, theirs = start, [start]
            for _ in range(250):
                state = reference_step(reference, state, paper_policy(power, *state))
                theirs.append(state)
            np.testing.assert_allclose(walk, theirs, rtol=0, atol=5e-5)


def test_the_policy_is_the_papers():
    states = np.array([[p, v] for p in (-0.6, 0.0, 0.3) for v in (-0.01, 0.0, 0.02)])
    ours = jax.jit(jax.vmap(lambda state: mountain_car.swing(state, 0.4)))(states)
    np.testing.assert_allclose(ours, [paper_policy(0.4, *state) for state in states])


def test_left_wall_stops_the_car_and_the_right_one_holds_it():
    at_walls = jnp.array([[-1.19, -0.07], [0.59, 0.03]])
    after = step_all(at_walls, jnp.array([-1.0, 0.5]))
    np.testing.assert_array_equal(after[0], [-1.2, 0])
    assert after[1, 0] == 0.6
    assert after[1, 1] > 0.03


def test_starts_are_at_rest_and_uniform():
    drawn = np.asarray(mountain_car.draw_starts(jax.random.key(0), 4000))
    assert (drawn[:, 1] == 0).all()
    assert (np.abs(drawn[:, 0] + 0.5) <= 0.1).all()
    spread = 0.2 / np.sqrt(12)
    assert abs(drawn[:, 0].mean() + 0.5) < 4 * spread / np.sqrt(4000)
    grid = np.asarray(mountain_car.start_grid(4))
    np.testing.assert_allclose(grid, [[x, 0] for x in (-0.575, -0.525, -0.475, -0.425)])


def test_arrival_is_the_first_state_at_or_beyond_the_goal():
    starts = mountain_car.start_grid(3).astype(jnp.float32)
    walks = mountain_car.rollouts(starts, POWERS, num_steps=250)
    goals = np.array([-0.3, 0.1, 0.5], np.float32)
    times = np.asarray(mountain_car.arrival_times(walks, goals))
    assert times.shape == (9, 3, 3)
    positions = np.asarray(walks[..., 0])
    for *walk, goal in np.ndindex(9, 3, 3):
        there = [t for t, x in enumerate(positions[*walk]) if x >= goals[goal]]
        assert times[*walk, goal] == (there[0] if there else np.inf)
    assert np.isinf(times).any()
    assert 0.9 ** times.max() == 0


def test_a_goal_at_the_cars_own_place_is_reached():
    walk = jnp.array([[-0.45, 0.0], [0.25, 0.0], [0.2, 0.0], [0.3, 0.0]])
    times = mountain_car.arrival_times(walk, np.array([0.25, 0.26, 0.3, 0.31]))
    assert times.tolist() == [1, 3, 3, np.inf]


def test_starts_may_be_whole_numbers(as_users_run_it):
    starts = np.array([[-1, 0], [0, 0]])
    walks = mountain_car.rollouts(starts, POWERS, num_steps=3)
    expected = mountain_car.rollouts(jnp.asarray(starts, float), POWERS, num_steps=3)
    np.testing.assert_array_equal(walks, expected)


def test_errors_say_what_is_wrong(as_users_run_it):
    start = mountain_car.start_grid(2)
    walks = jnp.zeros((3, 2))
    cases = [
        (
            lambda: mountain_car.arrival_times(walks, np.array([0.1, 0.7])),
            "arrival_times: goals must be right of the starts, above -0.4 and at most 0.6, "
            "got [0.1, 0.7]",
        ),
        (
            lambda: mountain_car.rollouts(start[:, :1], POWERS, num_steps=2),
            "rollouts: starts must be pairs (position, velocity), got 1 numbers",
        ),
        (
            lambda: mountain_car.rollouts(start, 0.3, num_steps=2),
            "rollouts: powers must have shape [N], got []",
        ),
        (lambda: mountain_car.start_grid(0), "start_grid: num_starts must be at least 1, got 0"),
    ]
    for call, text in cases:
        with pytest.raises(InputError) as raised:
            call()
        assert str(raised.value) == text


def test_a_wall_that_does_not_stop_the_car_holds_its_position_and_keeps_its_velocity():
    fast = jnp.array([-1.19, -0.05])
    stopped, kept = (mountain_car.step(fast, -1.0, wall_stops=stops) for stops in (True, False))
    assert float(stopped[0]) == float(kept[0]) == pytest.approx(-1.2)
    assert float(stopped[1]) == 0
    assert float(kept[1]) < -0.04
