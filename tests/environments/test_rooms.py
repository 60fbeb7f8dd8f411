"""FourRooms, the escape arena and the small room, cell by cell."""

import numpy as np

from first_occupancy.environments import EIGHT_MOVES, escape_arena, four_rooms, small_room


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
    assert [tuple(cell) for cell in walls_inside] == [(12, column) for column in range(6, 19)]
    assert escape_arena(barrier=False).num_states == 23 * 23


def test_the_barrier_is_symmetric_and_leaves_a_way_round_on_both_sides():
    for size in range(5, 30):
        row = escape_arena(size).free[size // 2]
        np.testing.assert_array_equal(row, row[::-1])
        assert row[1]
        assert not row[size // 2]


def test_the_small_room_has_sixteen_cells_and_the_paper_s_start_and_goal():
    world = small_room()
    assert world.num_states == 16
    assert world.cell(world.start) == (4, 1)
    assert [world.cell(goal) for goal in world.goals] == [(2, 3)]
