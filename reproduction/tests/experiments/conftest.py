"""Experiments run from beginning to end, if small, so their tests are among the long ones."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.whole)


@pytest.fixture(scope="session")
def kept_ids():
    """Return the function from an experiment's name to the ids of its lines in the kept ledger."""
    file = HERE.parents[1] / "results" / "ledger.json"
    parts = json.loads(file.read_text(encoding="utf-8"))["experiments"]
    return {part["name"]: [line["id"] for line in part["lines"]] for part in parts}.__getitem__
