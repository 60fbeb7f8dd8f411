import copy
import json

import numpy as np
import pytest

from first_occupancy.environments import four_rooms
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.claims import CLAIMS, plain_planning
from first_occupancy_paper.experiments.claims.run import Config, run
from oracles import steps_between


@pytest.fixture(scope="module")
def rows():
    return [row for config, _ in CLAIMS.settings(True) for row in run(config, 0)]


def verdict(rows, claim):
    (finding,) = (each for each in CLAIMS.findings(rows) if claim in each.claim)
    return finding.verdict


def test_rows_are_plain_and_follow_the_seed_alone():
    config = Config("chains", trials=20, num_states=3)
    once = json.dumps(list(run(config, 0)), allow_nan=False)
    assert json.dumps(list(run(config, 0))) == once
    assert json.dumps(list(run(config, 1))) != once


def test_value_iteration_stops_one_sweep_after_the_longest_way(rows):
    longest = steps_between(four_rooms().next_states).max(axis=0)
    counts = {row["goal"]: row for row in rows if row.get("kind") == "iterations"}
    assert len(counts) == 68
    assert all(counts[goal]["vi_ending_fine"] == longest[goal] + 1 for goal in counts)


def test_one_sweep_in_four_rooms_is_what_the_notes_measured(rows):
    (one,) = (row for row in rows if row.get("kind") == "sweeps" and row["sweeps"] == 1)
    assert round(100 * one["frp"] / one["pairs"]) == 51
    assert round(100 * one["in_place"] / one["pairs"]) == 78


def test_the_plain_argmax_never_ends_in_a_corridor():
    # One policy walks 0 -> 1 -> 2: from 0 staying ties with walking on, and comes first.
    steps = np.array([[[0, 1, 2], [np.inf, 0, 1], [np.inf, np.inf, 0]]])
    found = plain_planning.self_subgoals(np.where(np.isinf(steps), 99, steps))
    assert found["chosen"] > 0
    assert found["endless"] >= found["chosen"]


def test_every_finding_names_a_figure_that_is_drawn(rows):
    figures = CLAIMS.plot(rows)
    assert {finding.figure for finding in CLAIMS.findings(rows)} <= {None, *figures}


ALTERATIONS = [
    ("Policy improvement", {"rises": 0}, Verdict.REPRODUCED),
    ("Def. 3.2", {"printed_miss_most": 0.0}, Verdict.REPRODUCED),
    ("Prop. 3.1 (contraction)", {"entrywise_mean_share": 0.0, "after": 0.0}, Verdict.REPRODUCED),
    ("Prop. 3.1 corrected", {"column_ratio_most": 1.1}, Verdict.FAILS),
    ("Prop. 3.2", {"convergence_most": 1.0}, Verdict.DIFFERS),
    ("SR bonus", {"bonus_error_most": 0.1}, Verdict.DIFFERS),
    ("1 <= |F(s)|_1", {"norm_of_printed_most": 1.1}, Verdict.DIFFERS),
    ("kappa is reached", {"attained": 99.0}, Verdict.REPRODUCED),
    ("scales exponentially", {"printed": 99.0}, Verdict.REPRODUCED),
    ("Prop. 4.1", {"mismatches": 1}, Verdict.DIFFERS),
    ("plain argmax", {"endless": 0}, Verdict.REPRODUCED),
    ("give 180", {"value_iteration": 181}, Verdict.DIFFERS),
    ("requires at least 180", {"vi_ending_coarse": 200}, Verdict.REPRODUCED),
    ("PI still needs", {"pi_ending": 200, "pi_paying": 200}, Verdict.REPRODUCED),
    ("fewer operations", {"frp_stops": 99}, Verdict.DIFFERS),
    ("K is bounded", {"above_path_length": 1}, Verdict.DIFFERS),
    ("Three turns", {"most_sweeps": 4}, Verdict.DIFFERS),
    ("GPI is FRP", {"same": 0}, Verdict.DIFFERS),
]


@pytest.mark.parametrize(("claim", "changes", "expected"), ALTERATIONS)
def test_verdicts_come_from_the_rows(rows, claim, changes, expected):
    opposite = {
        Verdict.REPRODUCED: Verdict.DIFFERS,
        Verdict.DIFFERS: Verdict.REPRODUCED,
        Verdict.FAILS: Verdict.HOLDS,
    }
    changed = [
        {**row, **{key: value for key, value in changes.items() if key in row}} for row in rows
    ]
    assert verdict(rows, claim) == opposite[expected]
    assert verdict(changed, claim) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Verdict.UNDETERMINED),
        ({"vi_ending_coarse": 170}, Verdict.REPRODUCED),
        ({"vi_paying_coarse": 220}, Verdict.DIFFERS),
    ],
)
def test_whether_about_180_sweeps_are_needed_depends_on_what_the_goal_pays(rows, changes, expected):
    changed = [{**row, **changes} if "vi_ending_coarse" in row else row for row in rows]
    assert verdict(changed, "after about 180 iterations") == expected


def test_one_task_that_takes_fewer_improvements_is_enough(rows):
    changed = [{**row, "pi_paying": 200} if "pi_paying" in row else row for row in rows]
    assert verdict(changed, "PI still needs") == Verdict.DIFFERS
    assert verdict(rows, "synchronous sweeps") == Verdict.REMARK


def test_lines_on_features_values_and_products_follow_the_rows(rows):
    claims = ("one-hot features", "r F(s) is the value", "ill-defined with the SR")
    assert [verdict(rows, claim) for claim in claims] == [Verdict.REPRODUCED] * 3
    changed = copy.deepcopy(rows)
    for row in changed:
        if row["part"] == "representations":
            row |= {"features_miss": 0.1, "values_miss": 0.1, "products": [1.0, 1.0]}
    assert [verdict(changed, claim) for claim in claims] == [Verdict.DIFFERS] * 3


def test_the_kept_ledger_has_these_claims(rows, kept_claims):
    assert [line.claim for line in CLAIMS.findings(rows)] == kept_claims("claims")
