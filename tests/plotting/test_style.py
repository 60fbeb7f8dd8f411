import matplotlib as mpl
import numpy as np
import pytest

from first_occupancy.plotting import style


def test_eight_colours_come_round_and_differ():
    assert len({style.colour(number) for number in range(8)}) == 8
    assert style.colour(11) == style.colour(3)


def test_figures_have_their_axes_and_leave_the_settings_alone():
    before = dict(mpl.rcParams)
    figure, grid = style.figure(2, 3, size=(5, 4))
    assert grid.shape == (2, 3)
    assert figure.get_size_inches().tolist() == [5, 4]
    for ax in grid.flat:
        assert not ax.spines["top"].get_visible()
        assert ax.spines["left"].get_linewidth() == style.THIN
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (11, 11), (30, 4), (300, 300), (1, 5000)])
def test_worlds_have_square_cells_and_fit_a_page_or_a_poster(shape):
    rows, columns = shape
    width, height = style.world_size(shape)
    np.testing.assert_allclose(width / columns, height / rows)
    assert max(width, height) <= style.LONGEST + 1e-9
    assert width / columns <= 0.45
