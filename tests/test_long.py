"""The checks that `make test-long` draws from for an hour, on a few cases each."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "long"))

from checks import CHECKS, run_one

CASES = {"tours": 30, "copies": 20}
"""Cases of checks that have more than two."""


@pytest.mark.parametrize("name", CHECKS)
def test_cases_are_within_the_contract(name):
    for seed in range(CASES.get(name, 2)):
        assert run_one(name, seed) <= 1


def test_the_contract_names_every_check():
    page = (Path(__file__).parents[1] / "docs" / "accuracy.md").read_text("utf-8")
    rows = [line.split("|")[-2].strip(" `") for line in page.splitlines() if line.startswith("| `")]
    assert {*rows, "long_doubles", "sixty_digits"} == set(CHECKS)


def test_a_wrong_result_is_found(monkeypatch):
    solve = type(first_occupancy()).solve

    def off(self, chain, *, discount):
        return solve(self, chain, discount=discount) * (1 - 1e-9)

    monkeypatch.setattr(type(first_occupancy()), "solve", off)
    assert max(run_one("first_occupancy", seed) for seed in range(10)) > 1


def first_occupancy():
    import first_occupancy as fo

    return fo.first_occupancy
