"""One contract for every world, and each world's own numbers."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP
from first_occupancy.environments import (
    EIGHT_MOVES,
    FOUR_MOVES,
    escape_arena,
    four_rooms,
    maze,
    river_swim,
    six_arms,
    small_room,
)

WORLDS = {
    "river_swim": river_swim,
    "river_swim-3": lambda: river_swim(3),
    "river_swim-12": lambda: river_swim(12),
    "six_arms": six_arms,
    "four_rooms": lambda: four_rooms().mdp,
    "four_rooms with noise": lambda: four_rooms(noise=0.3).mdp,
    "escape_arena": lambda: escape_arena(size=9).mdp,
    "open escape_arena": lambda: escape_arena(size=8, barrier=False).mdp,
    "small_room": lambda: small_room().mdp,
    "maze of one cell": lambda: maze("S").mdp,
}


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_keeps_the_contract(name):
    world = WORLDS[name]()
    assert isinstance(world, MDP)
    states, actions = world.num_states, world.num_actions
    assert world.transition.shape == world.reward.shape == (states, actions, states)
    assert world.start_distribution.shape == (states,)
    assert (world.transition >= 0).all()
    np.testing.assert_allclose(world.transition.sum(axis=-1), 1, rtol=1e-12)
    assert (world.start_distribution >= 0).all()
    np.testing.assert_allclose(world.start_distribution.sum(), 1, rtol=1e-12)
    assert jnp.isfinite(world.reward).all()
    again = WORLDS[name]()
    np.testing.assert_array_equal(world.transition, again.transition)


def test_river_swim_has_the_numbers_of_the_paper():
    world = river_swim()
    right = [
        [0.7, 0.3, 0.0, 0.0, 0.0, 0.0],
        [0.1, 0.6, 0.3, 0.0, 0.0, 0.0],
        [0.0, 0.1, 0.6, 0.3, 0.0, 0.0],
        [0.0, 0.0, 0.1, 0.6, 0.3, 0.0],
        [0.0, 0.0, 0.0, 0.1, 0.6, 0.3],
        [0.0, 0.0, 0.0, 0.0, 0.7, 0.3],
    ]
    left = [
        [1, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1, 0],
    ]
    np.testing.assert_array_equal(world.transition[:, 0], right)
    np.testing.assert_array_equal(world.transition[:, 1], left)
    assert world.start_distribution.tolist() == [0, 0.5, 0.5, 0, 0, 0]
    paid = {
        tuple(map(int, where)): float(world.reward[tuple(where)])
        for where in np.argwhere(np.asarray(world.reward) != 0)
    }
    assert paid == {(5, 0, 5): 10_000.0, (0, 1, 0): 5.0}


def test_longer_rivers_only_have_more_middle_states():
    short, long = river_swim(6), river_swim(12)
    np.testing.assert_array_equal(long.transition[:3, :, :4], short.transition[:3, :, :4])
    np.testing.assert_array_equal(long.transition[-3:, :, -4:], short.transition[-3:, :, -4:])
    for state in range(1, 11):
        np.testing.assert_array_equal(
            long.transition[state, 0, state - 1 : state + 2], [0.1, 0.6, 0.3]
        )
    assert (long.reward[0, 1, 0], long.reward[11, 0, 11], long.reward.sum()) == (5, 1e4, 10_005)


def test_six_arms_has_the_numbers_of_the_paper():
    world = six_arms()
    odds = [1, 0.15, 0.10, 0.05, 0.03, 0.01]
    pay = [50, 133, 300, 800, 1666, 6000]
    assert world.start_distribution.tolist() == [1, 0, 0, 0, 0, 0, 0]
    transition, reward = np.zeros((7, 6, 7)), np.zeros((7, 6, 7))
    for k in range(6):
        transition[0, k, k + 1], transition[0, k, 0] = odds[k], 1 - odds[k]
    for action in (0, 1, 2, 3, 5):
        transition[1, action, 1], reward[1, action, 1] = 1, pay[0]
    transition[1, 4, 0] = 1
    for arm in range(2, 7):
        for action in range(6):
            stays = action == arm - 1
            transition[arm, action, arm if stays else 0] = 1
            reward[arm, action, arm] = pay[arm - 1] if stays else 0
    np.testing.assert_allclose(world.transition, transition, rtol=1e-12)
    np.testing.assert_array_equal(world.reward, reward)


def test_four_rooms_has_68_cells_four_doors_and_starts_at_the_bottom_left():
    world = four_rooms()
    assert world.num_states == 68
    assert world.cell(world.start) == (9, 1)
    assert world.free.shape == (11, 11)
    doors = {(2, 5), (8, 5), (5, 1), (5, 7)}
    for row, column in np.ndindex(11, 11):
        inside = 0 < row < 10 and 0 < column < 10
        on_a_wall = row == 5 or column == 5
        assert world.free[row, column] == (inside and (not on_a_wall or (row, column) in doors))


def test_four_rooms_bumps_cost_one_and_nothing_else_pays():
    world = four_rooms()
    reward = np.asarray(world.mdp.reward)
    for state, action, target in np.ndindex(*reward.shape):
        assert reward[state, action, target] == (-1 if target == state else 0)


def test_noise_puts_a_uniformly_random_move_in_place_of_the_chosen_one():
    still, noisy = four_rooms().mdp.transition, four_rooms(noise=0.2).mdp.transition
    expected = 0.8 * still + 0.05 * still.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(noisy, expected, rtol=1e-12)


def test_the_escape_arena_is_a_square_with_a_barrier_over_half_its_middle_row():
    world = escape_arena()
    assert world.free.shape == (25, 25)
    assert world.cell(world.start) == (1, 12)
    assert [world.cell(goal) for goal in world.goals] == [(23, 12)]
    assert world.moves == EIGHT_MOVES
    walls_inside = np.argwhere(~world.free[1:-1, 1:-1]) + 1
    assert [tuple(cell) for cell in walls_inside] == [(12, column) for column in range(6, 18)]
    assert escape_arena(barrier=False).num_states == 23 * 23


def test_moves_are_the_four_and_the_eight_neighbours():
    assert EIGHT_MOVES[:4] == FOUR_MOVES
    steps = {step for _, step in EIGHT_MOVES}
    assert steps == {(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1)} - {(0, 0)}
    for name, (down, right) in EIGHT_MOVES:
        assert ("up" in name, "down" in name) == (down < 0, down > 0)
        assert ("left" in name, "right" in name) == (right < 0, right > 0)


def test_the_small_room_has_sixteen_cells_and_the_paper_s_start_and_goal():
    world = small_room()
    assert world.num_states == 16
    assert world.cell(world.start) == (4, 1)
    assert [world.cell(goal) for goal in world.goals] == [(2, 3)]
