from first_occupancy.plotting import style
from first_occupancy_paper.commands.growth import growth_curves


def test_each_method_has_a_line_of_its_own_sorted_by_size():
    _, grid = style.figure()
    curves = {"ours": [(100.0, 2.0), (10.0, 0.5)], "theirs": [(10.0, 3.0), (100.0, 30.0)]}
    ax = growth_curves(grid[0, 0], curves, size="states")
    first, second = ax.get_lines()
    assert [*first.get_xdata()] == [10, 100]
    assert [*first.get_ydata()] == [0.5, 2.0]
    assert first.get_marker() != second.get_marker()
    assert first.get_color() != second.get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ours", "theirs"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("states", "seconds")
