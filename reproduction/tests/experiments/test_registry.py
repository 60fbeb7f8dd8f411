import importlib.util
import json
from pathlib import Path

import pytest

from first_occupancy_paper.experiments.registry import EXPERIMENTS, experiment

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def keep_ledger():
    """Return the program that writes the kept ledger."""
    spec = importlib.util.spec_from_file_location("keep_ledger", ROOT / "docs" / "keep_ledger.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [each.name for each in EXPERIMENTS if each.kept is not None])
def test_the_kept_ledger_says_what_kept_rows_say(keep_ledger, name):
    """If not, `python docs/keep_ledger.py --kept` writes it again."""
    content = json.loads(keep_ledger.TARGET.read_text(encoding="utf-8"))
    (written,) = [each for each in content["experiments"] if each["name"] == name]
    assert written == keep_ledger.part(experiment(name), list(experiment(name).kept()))


def test_experiments_are_found_by_names_that_differ():
    assert [experiment(each.name) for each in EXPERIMENTS] == list(EXPERIMENTS)
    assert len({each.name for each in EXPERIMENTS}) == len(EXPERIMENTS)


def test_those_without_kept_rows_have_settings_and_the_others_none():
    for each in EXPERIMENTS:
        for quick in (True, False):
            assert bool(each.settings(quick)) == (each.kept is None), each.name


def test_an_unknown_name_lists_the_known_ones(error_of):
    known = ", ".join(each.name for each in EXPERIMENTS)
    message = f"NAME must be one of {known}, got 'five_rooms'"
    assert error_of(lambda: experiment("five_rooms")) == message
