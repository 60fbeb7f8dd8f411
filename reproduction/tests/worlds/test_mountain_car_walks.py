"""Walks in MountainCar against the installed Gymnasium, and first arrivals against a plain loop."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.worlds import mountain_car_walks

POWERS = np.array(mountain_car_walks.POWERS)


@pytest.fixture(scope="module")
def reference():
    """Gymnasium's world without the wrappers that end episodes."""
    return gymnasium.make("MountainCarContinuous-v0").unwrapped


def reference_step(world, state, action):
    world.state = state
    return world.step(np.array([action]))[0]


def paper_policy(power, position, velocity):
    if velocity == 0:
        return -np.sign(position) * power
    return np.sign(velocity) * power


def test_walks_of_all_nine_policies_are_gymnasiums(reference):
    starts = np.array([[-0.6, 0], [-0.5137, 0], [-0.4, 0]], np.float32)
    walks = np.asarray(mountain_car_walks.rollouts(jnp.asarray(starts), POWERS, num_steps=250))
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
    ours = jax.jit(jax.vmap(lambda state: mountain_car_walks.swing(state, 0.4)))(states)
    np.testing.assert_allclose(ours, [paper_policy(0.4, *state) for state in states])


def test_arrival_is_the_first_state_at_or_beyond_the_goal():
    starts = mountain_car_walks.start_grid(3).astype(jnp.float32)
    walks = mountain_car_walks.rollouts(starts, POWERS, num_steps=250)
    goals = np.array([-0.3, 0.1, 0.5], np.float32)
    times = np.asarray(mountain_car_walks.arrival_times(walks, goals))
    assert times.shape == (9, 3, 3)
    positions = np.asarray(walks[..., 0])
    for *walk, goal in np.ndindex(9, 3, 3):
        there = [t for t, x in enumerate(positions[*walk]) if x >= goals[goal]]
        assert times[*walk, goal] == (there[0] if there else np.inf)
    assert np.isinf(times).any()
    assert 0.9 ** times.max() == 0


def test_a_goal_at_the_cars_own_place_is_reached():
    walk = jnp.array([[-0.45, 0.0], [0.25, 0.0], [0.2, 0.0], [0.3, 0.0]])
    times = mountain_car_walks.arrival_times(walk, np.array([0.25, 0.26, 0.3, 0.31]))
    assert times.tolist() == [1, 3, 3, np.inf]


def test_starts_may_be_whole_numbers(as_users_run_it):
    starts = np.array([[-1, 0], [0, 0]])
    walks = mountain_car_walks.rollouts(starts, POWERS, num_steps=3)
    expected = mountain_car_walks.rollouts(jnp.asarray(starts, float), POWERS, num_steps=3)
    np.testing.assert_array_equal(walks, expected)


def test_errors_say_what_is_wrong(as_users_run_it):
    start = mountain_car_walks.start_grid(2)
    walks = jnp.zeros((3, 2))
    cases = [
        (
            lambda: mountain_car_walks.arrival_times(walks, np.array([0.1, 0.7])),
            "arrival_times: goals must be right of the starts, above -0.4 and at most 0.6, "
            "got [0.1, 0.7]",
        ),
        (
            lambda: mountain_car_walks.rollouts(start[:, :1], POWERS, num_steps=2),
            "rollouts: starts must be pairs (position, velocity), got 1 numbers",
        ),
        (
            lambda: mountain_car_walks.rollouts(start, 0.3, num_steps=2),
            "rollouts: powers must have shape [N], got []",
        ),
        (
            lambda: mountain_car_walks.start_grid(0),
            "start_grid: num_starts must be at least 1, got 0",
        ),
    ]
    for call, text in cases:
        with pytest.raises(InputError) as raised:
            call()
        assert str(raised.value) == text


def test_starts_are_at_rest_and_evenly_spaced():
    grid = np.asarray(mountain_car_walks.start_grid(4))
    np.testing.assert_allclose(grid, [[x, 0] for x in (-0.575, -0.525, -0.475, -0.425)])


def test_starts_are_at_rest_and_uniform():
    drawn = np.asarray(mountain_car_walks.draw_starts(jax.random.key(0), 4000))
    assert (drawn[:, 1] == 0).all()
    assert (np.abs(drawn[:, 0] + 0.5) <= 0.1).all()
    spread = 0.2 / np.sqrt(12)
    assert abs(drawn[:, 0].mean() + 0.5) < 4 * spread / np.sqrt(4000)
