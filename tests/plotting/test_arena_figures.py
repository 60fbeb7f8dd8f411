"""Maps of arenas are in metres, and paths break in gaps."""

import numpy as np
import pytest
from matplotlib.colors import LogNorm

from first_occupancy.behaviour.arenas import rectangular_arena
from first_occupancy.plotting import style
from first_occupancy.plotting.arena_figures import arena_map, tracked_path

ARENA = rectangular_arena(width=0.4, height=0.2, cell=0.1, obstacles=[(0.3, 0.1, 0.4, 0.2)])


@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_map_is_drawn_in_metres(logarithmic):
    _, axes = style.figure()
    ax = arena_map(axes[0, 0], ARENA, np.arange(8) / 8, label="FR", logarithmic=logarithmic)
    (image,) = ax.images
    np.testing.assert_allclose(image.get_extent(), [0, 0.4, 0, 0.2])
    assert isinstance(image.norm, LogNorm) == logarithmic
    hidden = np.ma.getmaskarray(np.ma.masked_invalid(image.get_array()))
    assert hidden[1, 3]
    assert hidden[0, 0] == logarithmic
    assert ax.get_xlabel() == "metres"


def test_a_path_keeps_its_gaps():
    _, axes = style.figure()
    positions = np.array([[0.1, 0.1], [np.nan, np.nan], [0.2, 0.1]])
    ax = tracked_path(axes[0, 0], positions)
    assert np.isnan(ax.lines[0].get_xdata()[1])
