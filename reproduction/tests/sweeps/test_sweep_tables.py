import csv
import sys

import numpy as np
import pytest
from scipy import stats

from first_occupancy.core import InputError
from first_occupancy_paper.extras import extra_command
from first_occupancy_paper.sweeps.sweep_tables import summarise, write_rows_as_parquet


def rows_of(found, *, config=lambda size: {"size": size, "same": 1}):
    return [{"config": config(size), "seed": seed, "row": row} for size, seed, row in found]


SCORES = {(1, 0): 2.0, (1, 1): 4.0, (1, 2): 9.0, (2, 0): 1.0}
ROWS = rows_of([(size, seed, {"score": score}) for (size, seed), score in SCORES.items()])


def test_means_are_by_setting_with_students_interval_over_seeds():
    table = summarise(ROWS)
    assert (table.settings, table.measures) == (("size",), ("score",))
    first, second = table.lines
    samples = [2.0, 4.0, 9.0]
    interval = stats.t.interval(0.95, 2, loc=5.0, scale=stats.sem(samples))
    np.testing.assert_allclose((first["score_low"], first["score_high"]), interval)
    assert (first["size"], first["seeds"], first["score"]) == (1, 3, 5.0)
    assert second == {"size": 2, "seeds": 1, "score": 1.0}  # one seed has no interval
    assert repr(table) == "size  seeds  score\n1     3      5 ± 9\n2     1      1"


def test_texts_are_compared_and_rows_of_one_seed_are_one_sample():
    rows = rows_of(
        [
            (1, seed, {"who": who, "gain": seed + step})
            for who in ("a", "b")
            for seed in (0, 1)
            for step in (0, 10)
        ]
    )
    table = summarise(rows)
    assert table.settings == ("who",)
    assert [(line["who"], line["seeds"], line["gain"]) for line in table.lines] == [
        ("a", 2, 5.5),
        ("b", 2, 5.5),
    ]


def test_numbers_that_are_no_measurements_are_named():
    rows = rows_of([(1, seed, {"step": step, "gain": step}) for seed in (0, 1) for step in (5, 9)])
    table = summarise(rows, by=["step"])
    assert table.measures == ("gain",)
    assert [(line["step"], line["gain"]) for line in table.lines] == [(5, 5.0), (9, 9.0)]
    with pytest.raises(InputError) as caught:
        summarise(rows, by=["stop"])
    assert str(caught.value) == "summarise: by must name numbers of the rows, got 'stop'"
    with pytest.raises(InputError) as caught:
        summarise([])
    assert str(caught.value) == "summarise: rows must be those of a sweep, got none"


def test_csv_has_a_line_for_each_setting(tmp_path):
    summarise(ROWS).write_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open() as file:
        first, second = csv.DictReader(file)
    assert list(first) == ["size", "seeds", "score", "score_low", "score_high"]
    assert (first["size"], first["score"], second["score_low"]) == ("1", "5.0", "")


FORMULAS = (
    "=1+1",
    "+1+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "--1",
    "-",
)


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_a_csv_is_a_formula(tmp_path, text):
    rows = rows_of([(s, 0, {"who": text, text: -3.5}) for s in (text, (text, 1))], config=named)
    summarise(rows).write_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="") as file:
        head, *lines = csv.reader(file)
    text = text.replace("\r", "\n")
    assert head == ["setting", "who", "seeds", *(f"'{text}{end}" for end in ("", "_low", "_high"))]
    assert [line[:4] for line in lines] == [
        [f"'{text}", f"'{text}", "1", "-3.5"],
        [f"'{text}:1", f"'{text}", "1", "-3.5"],
    ]


def named(setting):
    return {"setting": list(setting) if isinstance(setting, tuple) else setting}


@pytest.mark.parametrize(
    ("setting", "cell"),
    [
        (-3.5, "-3.5"),
        (-1e-300, "-1e-300"),
        ("-3.5", "-3.5"),
        ((-1, 2e-5), "-1:2e-05"),
        ("a-b", "a-b"),
    ],
)
def test_negative_numbers_and_plain_texts_stay_what_they_are_in_a_csv(tmp_path, setting, cell):
    rows = rows_of([(s, 0, {"x": 1.0}) for s in (setting, "other")], config=named)
    summarise(rows).write_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="") as file:
        first, _ = csv.DictReader(file)
    assert first["setting"] == cell


def test_parquet_names_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for write in (summarise(ROWS).write_parquet, lambda path: write_rows_as_parquet(ROWS, path)):
        with pytest.raises(InputError) as caught:
            write(tmp_path / "table.parquet")
        assert str(caught.value).endswith(f"needs pyarrow: {extra_command('tables')}")


def test_settings_that_are_lists_are_one_cell():
    rows = rows_of([((1, 2), 0, {"x": 1}), ((3,), 0, {"x": 2})], config=lambda s: {"s": list(s)})
    assert [line["s"] for line in summarise(rows).lines] == ["1:2", "3"]


def test_the_figure_has_a_panel_for_each_measurement():
    figure = summarise(ROWS).figure()
    (ax,) = figure.axes
    assert (ax.get_title(), ax.get_xlabel()) == ("score", "size")
