"""Arenas are grids in metres."""

import numpy as np
import pytest

from first_occupancy.behaviour.arenas import OffGridWarning, arena

ARENA = arena(width=0.4, height=0.3, cell=0.1, walls=[((0.2, 0.2), (0.1, 0.0))])


def test_cells_are_walls_where_a_wall_covers_their_centre():
    assert ARENA.free.tolist() == [
        [True, False, True, True],
        [True, False, True, True],
        [True, True, True, True],
    ]
    assert ARENA.num_states == 12
    np.testing.assert_allclose(ARENA.extent, (0, 0.4, 0, 0.3))
    np.testing.assert_allclose(ARENA.centres()[5], [0.15, 0.15])
    assert repr(ARENA) == "Arena: 0.4 x 0.3 m, 4 x 3 cells of 0.1 m, 10 free cells"


def test_positions_are_in_cells_or_nowhere():
    positions = np.array([[0.05, 0.05], [0.15, 0.15], [0.15, 0.25], [-0.01, 0.1], [0.1, 0.31]])
    assert ARENA.cells_at(positions).tolist() == [0, -1, 9, -1, -1]
    assert ARENA.cell_at(0.35, 0.05) == 3
    picture = ARENA.picture(np.arange(12.0))
    assert np.isnan(picture[0, 1])
    assert picture[2, 3] == 11


def test_the_nearest_free_cell_is_that_of_a_plain_search(monkeypatch):
    monkeypatch.setattr("first_occupancy.behaviour.arenas.AT_ONCE", 50)
    positions = np.random.default_rng(0).uniform(-0.3, 0.7, (200, 2))
    cells, points = ARENA.nearest_free(positions)
    assert ARENA.cells_at(points).tolist() == cells.tolist()
    for (x, y), cell, point in zip(positions, cells, points, strict=True):
        gaps = {}
        for other in np.flatnonzero(ARENA.free):
            row, column = divmod(int(other), 4)
            right = max(0.1 * column - x, 0, x - 0.1 * (column + 1))
            up = max(0.1 * row - y, 0, y - 0.1 * (row + 1))
            gaps[other] = np.hypot(right, up)
        assert gaps[cell] <= min(gaps.values()) + 1e-6
        assert np.hypot(*(point - (x, y))) == pytest.approx(gaps[cell], abs=1e-6)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (
            {"walls": [((0.05, 0.0), (0.15, 0.1))]},
            r"wall \(0.05, 0\) to \(0.15, 0.1\), which covers 2 cells, does",
        ),
        ({"walls": [((0.2, 0.0), (0.21, 0.3))]}, "which covers 0 cells, does not lie"),
        ({"width": 0.45}, "sides 0.45 x 0.3 does not lie on the lines between cells of 0.1 m; ch"),
    ],
)
def test_what_does_not_lie_on_the_grid_is_warned_about(options, what):
    with pytest.warns(OffGridWarning, match=what):
        arena(**{"width": 0.4, "height": 0.3, "cell": 0.1} | options)


def test_mistakes_are_named(error_of):
    assert error_of(lambda: ARENA.cell_at(0.15, 0.05)) == (
        "cell_at: (0.15, 0.05) must lie in a free part of the arena"
    )
    assert error_of(lambda: arena(width=1.0, height=0.0, cell=0.1)) == (
        "arena: height must be above 0, got 0.0"
    )
    assert error_of(lambda: arena(width=1.0, height=0.5, cell=0.6)) == (
        "arena: cells must fit into 1.0 x 0.5 m, got 0.6"
    )
    everything = [((0.0, 0.0), (1.0, 1.0))]
    assert error_of(lambda: arena(width=0.2, height=0.2, cell=0.1, walls=everything)) == (
        "arena: walls must leave a free cell, got none"
    )
    assert error_of(lambda: arena(width=1.0, height=1.0, cell=0.1, walls=[(0.1, 0, 1, 1)])) == (
        "arena: walls must be pairs of opposite corners ((x, y), (x, y)), got (0.1, 0, 1, 1)"
    )
