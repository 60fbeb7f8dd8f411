"""Kept rows are where the package looks for them."""

import pytest

from first_occupancy_paper.rows import kept
from first_occupancy_paper.rows.kept import RESULTS, read_kept


def test_every_file_of_kept_rows_is_in_the_folder():
    names = {path.stem for path in RESULTS.glob("*.jsonl")}
    assert names == {"labyrinth", "model_recovery", "offline_goals", "tartarus"}
    assert len(list((RESULTS / "jaco_reaching").glob("*.jsonl"))) > 20


def test_rows_are_read_line_by_line_and_a_missing_file_is_no_empty_one(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "RESULTS", tmp_path)
    (tmp_path / "two.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    assert read_kept("two") == [{"a": 1}, {"a": 2}]
    with pytest.raises(FileNotFoundError):
        read_kept("none")
