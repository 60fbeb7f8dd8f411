"""Arenas are grids in metres."""

import numpy as np

from first_occupancy.behaviour.arenas import rectangular_arena

ARENA = rectangular_arena(width=0.4, height=0.3, cell=0.1, obstacles=[(0.1, 0.0, 0.2, 0.2)])


def test_cells_are_walls_where_an_obstacle_covers_their_centre():
    assert ARENA.free.tolist() == [
        [True, False, True, True],
        [True, False, True, True],
        [True, True, True, True],
    ]
    assert ARENA.num_states == 12
    np.testing.assert_allclose(ARENA.extent, (0, 0.4, 0, 0.3))
    np.testing.assert_allclose(ARENA.centres()[5], [0.15, 0.15])


def test_positions_are_in_cells_or_nowhere():
    positions = np.array([[0.05, 0.05], [0.15, 0.15], [0.15, 0.25], [-0.01, 0.1], [0.1, 0.31]])
    assert ARENA.cells_at(positions).tolist() == [0, -1, 9, -1, -1]
    assert ARENA.cell_at(0.35, 0.05) == 3
    picture = ARENA.picture(np.arange(12.0))
    assert np.isnan(picture[0, 1])
    assert picture[2, 3] == 11


def test_mistakes_are_named(error_of):
    assert error_of(lambda: ARENA.cell_at(0.15, 0.05)) == (
        "cell_at: (0.15, 0.05) must lie in a free part of the arena"
    )
    assert error_of(lambda: rectangular_arena(width=1.0, height=0.0, cell=0.1)) == (
        "rectangular_arena: width, height and cell must be positive, and cells must fit, "
        "got 1.0, 0.0 and 0.1"
    )
    assert error_of(
        lambda: rectangular_arena(width=0.2, height=0.2, cell=0.1, obstacles=[(0.0, 0.0, 1.0, 1.0)])
    ) == ("rectangular_arena: obstacles must leave a free cell, got none")
