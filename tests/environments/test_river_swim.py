"""RiverSwim has the numbers of the paper, at any length."""

import numpy as np

from first_occupancy.environments import river_swim


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
