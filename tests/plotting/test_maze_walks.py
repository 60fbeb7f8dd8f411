"""Trajectories go through the cells they visit, and repeated visits can be seen."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.plotting import maze_walks

WORLDS = {"four": fo.maze(["S.#", "..G"])}


@pytest.fixture(name="ax")
def ax_fixture():
    """An Axes whose figure is rendered after the test, where late warnings appear."""
    figure, grid = plotting.figure()
    yield grid[0, 0]
    figure.canvas.draw()


def test_a_trajectory_goes_through_the_centres_of_its_cells(ax):
    world = WORLDS["four"]
    maze_walks.trajectory(ax, world, [0, 2, 3, 4], label="walk")
    line, first, last = ax.lines
    np.testing.assert_array_equal(line.get_xydata(), [[0, 0], [0, 1], [1, 1], [2, 1]])
    np.testing.assert_array_equal(first.get_xydata(), [[0, 0]])
    np.testing.assert_array_equal(last.get_xydata(), [[2, 1]])


def test_repeated_cells_show_but_stay_in_their_cell(ax):
    world = WORLDS["four"]
    plotting.trajectories(ax, world, [[0, 0, 2, 0, 0], [0] * 9, [4]], labels=list("abc"))
    assert len(ax.lines) == 9
    for line in ax.lines[:1]:
        here = line.get_xydata()[[0, 1, 3]]
        assert len(np.unique(here, axis=0)) == 3
    for line in ax.lines:
        assert (np.abs(line.get_xydata() - np.round(line.get_xydata())) < 0.5).all()
    assert len({line.get_color() for line in ax.lines}) == 3


def test_trajectories_may_be_empty_but_not_elsewhere(ax):
    maze_walks.trajectory(ax, WORLDS["four"], [])
    plotting.trajectories(ax, WORLDS["four"], [])
    assert not ax.lines
    with pytest.raises(fo.InputError, match=r"^trajectory: state must be in 0\.\.4, got 5$"):
        maze_walks.trajectory(ax, WORLDS["four"], np.array([0, 5]))


def test_a_long_walk_in_small_cells_is_a_plain_line_with_a_rim(ax):
    world = fo.maze(["." * 300])
    states = np.concatenate([np.arange(300), np.arange(298, -1, -1)])
    maze_walks.trajectory(ax, world, states, colour="#0000FF", label="walk")
    rim, line = ax.lines
    assert (rim.get_color(), line.get_color()) == ("white", "#0000FF")
    assert rim.get_linewidth() > line.get_linewidth() > 1
    np.testing.assert_array_equal(np.round(line.get_xydata()[:, 0] - 0.05), states)
    assert line.get_marker() == "None"


def test_jumps_are_dashed(ax):
    maze_walks.trajectory(ax, WORLDS["four"], [0, 4], dashed=True)
    assert ax.lines[0].get_linestyle() == "--"
