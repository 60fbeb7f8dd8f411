"""Exploration: rows hold what their protocol implies, and verdicts follow from rows alone."""

import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from matplotlib.figure import Figure

from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.exploration.protocols import (
    PAPER,
    TASKS,
    larger_beta_protocols,
    protocols,
)
from first_occupancy_paper.experiments.exploration.published import published_river_swim
from first_occupancy_paper.experiments.exploration.run import MORE, Config, run
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf

EXPLORATION = experiment("exploration")

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
    methods = [(row["world"], row["method"]) for row in published]
    assert methods == list(product(["published", "paper's"], ["Sarsa", "Sarsa+SR", "Sarsa+FR"]))


def test_more_trials_are_other_trials_of_the_same_readings(rows):
    more = list(run(Config("SixArms", "more", **SMALL), 0))
    shown = {row["variant"]: row for row in rows if row["task"] == "SixArms"}
    assert [row["variant"] for row in more] == list(MORE)
    assert all(row["protocol"] == shown[row["variant"]]["protocol"] for row in more)
    assert all(row["totals"] != shown[row["variant"]]["totals"] for row in more)


def test_larger_betas_differ_from_the_printed_one_in_beta_only():
    for protocol in larger_beta_protocols():
        (printed,) = [p for p in protocols("RiverSwim-12") if p.name == "sr_drawn_anew"]
        assert replace(protocol, name=printed.name, beta=printed.beta) == printed


def test_the_norms_of_a_walk_follow_the_updates_of_its_rows():
    """The SR's row sum obeys m <- m + eta (1 + gamma m' - m), so it grows from 0 at first."""
    sr, fr = run(Config("RiverSwim-6", "norms", **SMALL), 0)
    assert min(sr["grows"]) > 0.5
    assert min(fr["mean_norm"]) >= 1
    assert all(0 <= share < 1 for share in fr["grows_on_known"])


def claims_of_norms(known, falls):
    row = {"part": "norms", "task": "RiverSwim-6", "protocol": "", "mean_norm": [2.0, 2.1]}
    fr = {**row, "variant": "fr_printed", "grows": [0.5, 0.5], "grows_on_known": known}
    sr = {**row, "variant": "sr_drawn_anew", "grows": falls, "mean_inverse": [0.1, 0.1]}
    return [{**fr, "mean_inverse": [0.5, 0.5]}, {**sr, "grows_on_known": [1.0, 1.0]}]


def test_claims_on_norms_follow_the_rows(rows):
    findings = by_id(EXPLORATION.find([*rows, *claims_of_norms([0.9, 0.91], [0.5, 0.51])]))
    assert findings["norm_grows"].verdict == findings["bonus_falls"].verdict == Verdict.DIFFERS
    findings = by_id(EXPLORATION.find([*rows, *claims_of_norms([0.01, 0.011], [0.99, 0.991])]))
    assert findings["norm_grows"].verdict == findings["bonus_falls"].verdict == Verdict.REPRODUCED
    findings = by_id(EXPLORATION.find([*rows, *claims_of_norms([0.01, 0.9], [0.5, 0.991])]))
    assert findings["norm_grows"].verdict == findings["bonus_falls"].verdict == Verdict.UNSETTLED


def test_published_world_pays_more_often_at_the_end():
    assert float(published_river_swim().transition[5, 0, 5]) == 0.6


def altered(rows, totals):
    """Return the rows with the totals of some (task, variant) replaced."""
    return [
        {**row, "totals": totals.get((row["task"], row["variant"]), row["totals"])} for row in rows
    ]


def test_verdicts_follow_the_rows(rows):
    id = "cell:Sarsa+FR on RiverSwim-6"
    assert by_id(EXPLORATION.find(rows))[id].verdict == Verdict.DIFFERS
    mean, error = PAPER["RiverSwim-6", "Sarsa+FR"]

    def judged(shift, spread):
        deviation = 10 * error * spread
        totals = [mean * shift - deviation, mean * shift + deviation] * 500
        changed = altered(rows, {("RiverSwim-6", "fr_printed"): totals})
        return by_id(EXPLORATION.find(changed))[id].verdict

    assert judged(1.0, 1.0) == Verdict.REPRODUCED
    assert judged(1.1, 1.0) == Verdict.UNSETTLED  # on the margin
    assert judged(1.2, 1.0) == Verdict.DIFFERS
    assert judged(1.0, 0.1) == Verdict.DIFFERS  # the mean alone is not enough


def test_a_cell_names_the_choice_on_which_its_verdict_depends(rows):
    mean, error = PAPER["RiverSwim-6", "Sarsa+SR"]
    right = [mean - 10 * error, mean + 10 * error] * 500
    both = {("RiverSwim-6", variant): right for variant in ("sr_drawn_anew", "sr_taken_next")}
    one = {("RiverSwim-6", "sr_drawn_anew"): right}
    judged = [
        by_id(EXPLORATION.findings(altered(rows, each)))["cell:Sarsa+SR on RiverSwim-6"].judgement
        for each in (both, one)
    ]
    assert judged == ["reproduced", "reproduced, with the bootstrap's action drawn anew"]


def test_claims_follow_the_rows(rows):
    assert by_id(EXPLORATION.find(rows))["better_bonus"].verdict == Verdict.UNSETTLED  # five trials
    as_in_paper = {
        (task, variant): [PAPER[task, method][0] - 1, PAPER[task, method][0] + 1]
        for task in TASKS
        for variant, method in (("fr_printed", "Sarsa+FR"), ("sr_drawn_anew", "Sarsa+SR"))
    }
    findings = by_id(EXPLORATION.find(altered(rows, as_in_paper)))
    assert findings["better_bonus"].verdict == Verdict.REPRODUCED
    assert findings["more_robust"].verdict == Verdict.REPRODUCED


def test_the_typo_is_shown_as_printed(rows):
    finding = by_id(EXPLORATION.findings(rows))["cell:Sarsa+FR on SixArms"]
    assert finding.paper.startswith("11,9149 ± 42,942, a typo")


def test_search_verdict_follows_the_rows(rows):
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

    def judged(shift):
        return by_id(EXPLORATION.find([*rows, *searched(shift)]))["search"].verdict

    assert judged(1.0) == Verdict.REPRODUCED
    assert judged(0.5) == Verdict.DIFFERS


def test_figures(rows):
    figures = EXPLORATION.plot(rows)
    assert set(figures) == {"tables", "learning", "river_swim", "six_arms"}
    assert all(isinstance(figure, Figure) for figure in figures.values())


def test_sentences_follow_the_rows(rows):
    assert deaf(EXPLORATION, rows) == set()
