import numpy as np

from first_occupancy import plotting
from first_occupancy.plotting.matrices import matrix, sorted_curves


def axes():
    return plotting.figure()[1][0, 0]


def test_a_matrix_has_row_0_on_top_and_names_if_they_are_few():
    ax = matrix(axes(), np.array([[1.0, np.nan], [3.0, 4.0]]), ["a", "b"], ["c", "d"], label="F")
    drawn = ax.images[0].get_array()
    assert drawn.filled(-1).tolist() == [[1, -1], [3, 4]]
    assert ax.get_ylim() == (1.5, -0.5)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["c", "d"]
    assert ax.figure.axes[1].get_ylabel() == "F"


def test_large_matrices_show_every_second_row_or_third():
    values = np.arange(1500.0)[:, None] + np.zeros((1, 2))
    ax = matrix(axes(), values, transform=lambda part: -part)
    assert ax.images[0].get_array()[:, 0].tolist() == [-3.0 * row for row in range(500)]
    assert ax.get_ylim() == (1499.5, -0.5)


def test_curves_are_sorted_by_the_first():
    ax = sorted_curves(
        axes(), {"best": np.array([1, 3, 2]), "ours": np.array([0, 1, 2])}, what="discount"
    )
    first, second = ax.lines
    assert first.get_ydata().tolist() == [3, 2, 1]
    assert second.get_ydata().tolist() == [1, 2, 0]
    assert ax.get_xlabel() == "states, sorted by best"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["best", "ours"]
    alone = sorted_curves(axes(), {"visits": np.array([1, 3])}, what="visits")
    assert alone.get_legend() is None
