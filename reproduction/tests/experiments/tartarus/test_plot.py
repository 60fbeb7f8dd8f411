"""Forest plots show subjects, means and intervals."""

import numpy as np

from first_occupancy.plotting import style
from first_occupancy_paper.experiments.tartarus.plot import forest_plot


def test_each_model_has_its_subjects_and_their_mean():
    _, axes = style.figure()
    differences = np.array([[0.0, 1.0], [0.0, 3.0], [0.0, 5.0]])
    ax = axes[0, 0]
    forest_plot(ax, ["SR", "FRP"], differences, "nats")
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["SR", "FRP"]
    assert ax.get_yticks().tolist() == [1, 0]
    drawn = [line.get_xdata().tolist() for line in ax.lines if line.get_marker() == "o"]
    assert drawn == [[0, 0, 0], [1, 3, 5]]
    means = [container.lines[0].get_xdata()[0] for container in ax.containers]
    assert means == [0, 3]
