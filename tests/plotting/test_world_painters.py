import numpy as np
from matplotlib.patches import FancyArrowPatch

import first_occupancy as fo
from first_occupancy import plotting


def arrows(ax):
    return sum(isinstance(patch, FancyArrowPatch) for patch in ax.patches)


def test_a_maze_has_its_marks():
    (ax,) = fo.plot(fo.maze(["S.#", "..G"])).axes
    assert [text.get_text() for text in ax.texts] == ["S", "G"]


def test_small_mdps_are_graphs_and_large_ones_matrices():
    for world in (fo.river_swim(6), fo.six_arms()):
        (ax,) = fo.plot(world).axes
        linked = np.asarray(world.transition).max(axis=1) > 0
        assert arrows(ax) == linked.sum()
    mdp = fo.four_rooms().mdp
    ax, bar = fo.plot(mdp).axes
    drawn = ax.images[0].get_array()
    np.testing.assert_allclose(drawn.filled(0), np.asarray(mdp.transition).mean(axis=1))
    assert bar.get_ylabel() == "probability, actions at random"


def test_graphs_are_drawn_on_axes_of_ones_own():
    figure, grid = plotting.figure(1, 2, size=(8, 3))
    assert fo.plot(fo.river_swim(4), grid[0, 1]) is figure
    assert arrows(grid[0, 1]) == 10
    assert not grid[0, 0].patches
