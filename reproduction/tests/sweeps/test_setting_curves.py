from first_occupancy_paper.sweeps.setting_curves import setting_figure


def line(x, kind, value, half=1.0):
    ends = {"value_low": value - half, "value_high": value + half}
    return {"x": x, "kind": kind, "seeds": 3, "value": value, **ends}


LINES = [line(2, "a", 5.0), line(1, "a", 3.0), line(1, "b", 4.0), line(2, "b", 4.5)]


def test_curves_run_along_the_first_number_one_for_each_of_the_others():
    figure = setting_figure(LINES, ["kind", "x"], ["value"])
    (ax,) = figure.axes
    assert ax.get_xlabel() == "x"
    points = [curve.lines[0].get_xydata().tolist() for curve in ax.containers]
    assert points == [[[1, 3.0], [2, 5.0]], [[1, 4.0], [2, 4.5]]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    (bars,) = ax.containers[0].lines[2]
    assert bars.get_segments()[0].tolist() == [[1.0, 2.0], [1.0, 4.0]]


def test_without_a_number_each_setting_has_a_place():
    figure = setting_figure([line(1, kind, 2.0) for kind in "ab"], ["kind"], ["value"])
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["a", "b"]


def test_without_measurements_and_intervals_it_is_still_drawn():
    assert setting_figure(LINES, ["kind"], []).axes
    assert setting_figure([{"x": 1, "seeds": 1, "value": 2.0}], ["x"], ["value"]).axes
