"""Images of many cells, and which of them get an arrow."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.plotting import _cells


@pytest.fixture(name="ax")
def ax_fixture():
    return plotting.figure()[1][0, 0]


def test_images_of_too_many_cells_average_blocks(ax):
    grid = np.full((1, 2000), np.nan)
    grid[0, :3] = [1.0, 3.0, 5.0]
    image = _cells.image(ax, grid)
    drawn = image.get_array()
    assert drawn.shape == (1, 1000)
    assert drawn[0, :2].tolist() == [2.0, 5.0]
    assert drawn.mask[0, 2]
    assert tuple(image.get_extent()) == (-0.5, 1999.5, 1.5, -0.5)


def test_small_mazes_keep_all_arrows_and_large_ones_one_for_each_block(ax):
    small, large = fo.maze(["..", ".."]), fo.maze(["." * 100] * 100)
    states, block = _cells.thinned(ax, small, np.array([True, False, True, True]))
    assert (states.tolist(), block) == ([0, 2, 3], 1)
    chosen = np.ones(large.num_states, bool)
    chosen[:5000] = False
    states, block = _cells.thinned(ax, large, chosen)
    assert block > 1
    assert chosen[states].all()
    places = large.cells[states] // block
    assert len(np.unique(places, axis=0)) == len(states)
    everywhere = np.unique(large.cells[chosen] // block, axis=0)
    assert len(everywhere) == len(states)


def test_nothing_chosen_is_nothing_kept(ax):
    world = fo.maze(["." * 100] * 100)
    assert len(_cells.thinned(ax, world, np.zeros(world.num_states, bool))[0]) == 0
