"""Exploration: rows hold what their protocol implies, and verdicts follow from rows alone."""

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from first_occupancy.experiments import Verdict
from first_occupancy.experiments.exploration import EXPLORATION
from first_occupancy.experiments.exploration.protocols import PAPER, TASKS, protocols
from first_occupancy.experiments.exploration.published import published_river_swim
from first_occupancy.experiments.exploration.run import Config, run

SMALL = {"trials": 5, "steps": 60}


@pytest.fixture(scope="module")
def rows():
    return [row for task in TASKS for row in run(Config(task, **SMALL), 0)]


def test_rows_have_totals_and_the_whole_protocol(rows):
    assert len(rows) == len(TASKS) * len(protocols("SixArms"))
    for row in rows:
        assert len(row["totals"]) == 5
        assert row["curve_means"][-1] == pytest.approx(np.mean(row["totals"]))
        assert row["curve_steps"][-1] == 60
        for word in ("ties", "first action", "bootstrap action", "alpha", "epsilon"):
            assert word in row["protocol"]
        river = row["task"] != "SixArms"
        assert row["settings"]["epsilon"] == (0.1 if river else 0.01)


def test_totals_are_sums_of_what_the_world_pays(rows):
    """RiverSwim pays 5 or 10,000 a step, so every total is a multiple of 5, at most 60 wins."""
    totals = np.concatenate([row["totals"] for row in rows if row["task"] != "SixArms"])
    assert np.all(totals % 5 == 0)
    assert np.all((totals >= 0) & (totals <= 60 * 10_000))


def test_same_seed_same_rows_and_another_seed_others(rows):
    again = list(run(Config("SixArms", **SMALL), 0))
    assert again == rows[-len(again) :]
    assert list(run(Config("SixArms", **SMALL), 1)) != again


def test_curves_of_trials_shorter_than_they_are_begin_at_the_first_step(rows, monkeypatch):
    monkeypatch.setattr(sys.modules[run.__module__], "CURVE_POINTS", 100)
    fine = list(run(Config(TASKS[0], **SMALL), 0))
    assert fine
    for row, shown in zip(fine, rows[: len(fine)], strict=True):
        assert row["curve_steps"] == list(range(1, 61))
        coarse = [row["curve_means"][step - 1] for step in shown["curve_steps"]]
        assert coarse == shown["curve_means"]
        assert np.all(np.diff(row["curve_means"]) >= 0)


def test_search_and_published_rows():
    search = list(run(Config("RiverSwim-6", "search", "inverse", **SMALL), 0))
    assert len({row["protocol"] for row in search}) == len(search) == 16
    published = list(run(Config("RiverSwim-6", "published", **SMALL), 0))
    assert [row["world"] for row in published] == ["published", "paper's"]


def test_published_world_pays_more_often_at_the_end():
    assert float(published_river_swim().transition[5, 0, 5]) == 0.6


def altered(rows, totals):
    """Return the rows with the totals of some (task, variant) replaced."""
    return [
        {**row, "totals": totals.get((row["task"], row["variant"]), row["totals"])} for row in rows
    ]


def cell(findings, claim):
    (finding,) = (each for each in findings if each.claim == claim)
    return finding


def test_verdicts_follow_the_rows(rows):
    claim = "Tables 1 and 2: Sarsa+FR on RiverSwim-6, bonus as printed"
    assert cell(EXPLORATION.find(rows), claim).verdict == Verdict.DIFFERS
    mean, error = PAPER["RiverSwim-6", "Sarsa+FR"]
    near = altered(rows, {("RiverSwim-6", "fr_printed"): [mean + error, mean + error + 1] * 50})
    assert cell(EXPLORATION.find(near), claim).verdict == Verdict.REPRODUCED
    far = altered(
        rows, {("RiverSwim-6", "fr_printed"): [mean + 2.1 * error, mean + 2.1 * error + 1] * 50}
    )
    assert cell(EXPLORATION.find(far), claim).verdict == Verdict.DIFFERS


def test_claims_follow_the_rows(rows):
    better = "The FR's bonus gives more reward than the SR's on every task"
    robust = "Sarsa+FR is more robust than Sarsa+SR as RiverSwim grows from 6 to 24 states"
    assert cell(EXPLORATION.find(rows), better).verdict == Verdict.DIFFERS
    as_in_paper = {
        (task, variant): [PAPER[task, method][0] - 1, PAPER[task, method][0] + 1]
        for task in TASKS
        for variant, method in (("fr_printed", "Sarsa+FR"), ("sr_drawn_anew", "Sarsa+SR"))
    }
    findings = EXPLORATION.find(altered(rows, as_in_paper))
    assert cell(findings, better).verdict == Verdict.REPRODUCED
    assert cell(findings, robust).verdict == Verdict.REPRODUCED


def test_the_typo_is_shown_as_printed(rows):
    finding = cell(EXPLORATION.find(rows), "Table 1: Sarsa+FR on SixArms, bonus as printed")
    assert finding.paper.startswith("11,9149 ± 42,942, a typo")


def test_search_verdict_follows_the_rows(rows):
    claim = "Some reading of the FR bonus gives the whole Sarsa+FR column of Table 2"
    rivers = [task for task in TASKS if task != "SixArms"]

    def searched(shift):
        return [
            {
                "part": "search",
                "task": task,
                "bonus": "inverse",
                "protocol": "a reading",
                "totals": t,
            }
            for task in rivers
            for t in [[PAPER[task, "Sarsa+FR"][0] * shift + 10 * i for i in range(5)]]
        ]

    assert cell(EXPLORATION.find([*rows, *searched(1.0)]), claim).verdict == Verdict.REPRODUCED
    assert cell(EXPLORATION.find([*rows, *searched(0.5)]), claim).verdict == Verdict.DIFFERS


def test_figures(rows):
    figures = EXPLORATION.plot(rows)
    assert set(figures) == {"tables", "learning", "river_swim", "six_arms"}
    assert all(isinstance(figure, Figure) for figure in figures.values())
