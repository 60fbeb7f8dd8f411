"""The page of benchmarks, from rows alone."""

import json

import pytest

from first_occupancy_paper.commands.bench_page import growth_curves, write_page

COMPARED = {
    "question": "Adding <two> numbers",
    "size": "N = 2",
    "ours": "plus",
    "seconds": 0.002,
    "peer": "abacus",
    "peer_seconds": 4.0,
    "ratio": 2000.0,
    "unit": "x faster",
    "target": ">= 3000",
    "met": False,
}
CURVE = [{"axis": "N", "at": at, "method": "plus", "seconds": at * 1e-3} for at in (10, 100, 1000)]


def page_of(folder, rows, elsewhere=()):
    content = {"provenance": {"jax": "9.9", "machine": {"cores": 2}}, "rows": rows}
    (folder / "adding_up.json").write_text(json.dumps(content))
    return write_page(folder, elsewhere).read_text()


def test_a_comparison_is_a_line_with_both_times_the_ratio_and_the_target(tmp_path):
    page = page_of(tmp_path, [COMPARED])
    assert "<h2>Adding up</h2>" in page
    assert "jax 9.9, cores 2" in page
    for cell in ("Adding &lt;two&gt; numbers", "plus: 2 ms", "abacus: 4 s", "2e+03 x faster"):
        assert f"<td>{cell}" in page
    assert '<td class="verdict fails">&gt;= 3000' in page


@pytest.mark.parametrize(("met", "kind"), [(True, "holds"), (None, "undetermined")])
def test_verdicts_have_their_colours(tmp_path, met, kind):
    assert f'class="verdict {kind}"' in page_of(tmp_path, [COMPARED | {"met": met}])


def test_curves_are_drawn_and_need_no_table(tmp_path):
    page = page_of(tmp_path, CURVE)
    assert "<table>" not in page
    assert 'alt="Cost against N"' in page
    assert (tmp_path / "adding_up-0.svg").exists()


def test_rows_of_other_machines_come_after_our_own(tmp_path):
    other = tmp_path / "kept" / "multiplying.json"
    other.parent.mkdir()
    other.write_text(json.dumps({"rows": [COMPARED]}))
    page = page_of(tmp_path, [COMPARED], [other])
    assert page.index("Adding up") < page.index("Multiplying")


def test_each_method_has_a_line_of_its_own_sorted_by_size():
    measured = {"ours": [(100.0, 2.0), (10.0, 0.5)], "theirs": [(10.0, 3.0), (100.0, 30.0)]}
    rows = [
        {"method": method, "at": at, "seconds": seconds}
        for method, points in measured.items()
        for at, seconds in points
    ]
    (ax,) = growth_curves(rows, size="states").axes
    first, second = ax.get_lines()
    assert [*first.get_xdata()] == [10, 100]
    assert [*first.get_ydata()] == [0.5, 2.0]
    assert first.get_marker() != second.get_marker()
    assert first.get_color() != second.get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ours", "theirs"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("states", "seconds")
