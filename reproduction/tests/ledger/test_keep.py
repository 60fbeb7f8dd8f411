"""The ledger's kept lines: what kept rows say today, and other lines as they were."""

import json
import shutil

import pytest

from first_occupancy_paper.experiments.registry import EXPERIMENTS
from first_occupancy_paper.ledger import keep


@pytest.mark.whole
def test_the_kept_ledger_says_what_the_kept_rows_say(tmp_path, monkeypatch):
    before = keep.TARGET.read_text("utf-8")
    shutil.copy(keep.TARGET, tmp_path)
    monkeypatch.setattr(keep, "TARGET", tmp_path / keep.TARGET.name)
    keep.renew_kept()
    assert keep.TARGET.read_text("utf-8") == before


def test_every_experiment_has_a_part_in_it():
    kept = json.loads(keep.TARGET.read_text("utf-8"))["experiments"]
    assert {part["name"] for part in kept} == {each.name for each in EXPERIMENTS}


def test_rows_of_unfinished_jobs_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(keep, "TARGET", tmp_path / "ledger.json")
    with pytest.raises(FileNotFoundError):
        keep.main(str(tmp_path))
    assert not keep.TARGET.exists()
