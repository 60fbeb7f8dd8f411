"""Bars have heights, names and intervals."""

import numpy as np

from first_occupancy import plotting
from first_occupancy_paper.experiments.bars import bars_with_intervals


def test_bars_have_heights_names_and_intervals():
    figure, grid = plotting.figure()
    ax = grid[0, 0]
    heights, halves = np.array([3.0, 1.0]), np.array([0.5, 0.2])
    bars_with_intervals(ax, ["FRP", "GPI"], heights, halves, colours=["red", "blue"])
    assert [bar.get_height() for bar in ax.patches] == [3, 1]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["FRP", "GPI"]
    (intervals,) = ax.collections
    np.testing.assert_allclose(
        [s[:, 1] for s in intervals.get_segments()], [[2.5, 3.5], [0.8, 1.2]]
    )
    figure.canvas.draw()
