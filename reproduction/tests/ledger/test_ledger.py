"""Figures of the ledger are drawn when something changed; its pages are tested as a command's."""

from dataclasses import replace

import pytest
from matplotlib.figure import Figure

from first_occupancy_paper.ledger.ledger import draw
from toy_experiment import TOY


@pytest.fixture
def drawn():
    """Return an experiment, and the rows that each call of its `plot` was given."""
    calls = []

    def plot(rows):
        calls.append(rows)
        return {"thirds": Figure(figsize=(1, 1))}

    return replace(TOY, plot=plot), calls


def test_figures_are_drawn_once_for_the_same_rows(drawn, tmp_path):
    experiment, calls = drawn
    rows = [{"number": 0}]
    first = draw(experiment, rows, tmp_path, quick=True)
    assert draw(experiment, rows, tmp_path, quick=True) == first
    assert len(calls) == 1
    draw(experiment, [{"number": 1}], tmp_path, quick=True)
    assert len(calls) == 2


def test_figures_that_are_gone_or_of_another_kind_are_drawn_anew(drawn, tmp_path):
    experiment, calls = drawn
    (path,) = draw(experiment, [], tmp_path, quick=True).values()
    assert path.suffix == ".svg"
    path.unlink()
    draw(experiment, [], tmp_path, quick=True)
    assert (path.exists(), len(calls)) == (True, 2)
    # Full runs have PNGs for slides too.
    draw(experiment, [], tmp_path, quick=False)
    assert (path.with_suffix(".png").exists(), len(calls)) == (True, 3)


def test_a_damaged_note_of_what_was_drawn_counts_for_none(drawn, tmp_path):
    experiment, calls = drawn
    draw(experiment, [], tmp_path, quick=True)
    (note,) = (tmp_path / "figures").glob(".*.json")
    for text in ("{", "[]", "7", '{"names": ["thirds"]}'):
        note.write_text(text)
        draw(experiment, [], tmp_path, quick=True)
    assert len(calls) == 5
