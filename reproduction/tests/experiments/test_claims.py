import copy
import json

import numpy as np
import pytest

from first_occupancy.environments import four_rooms
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.claims import bounds, rooms
from first_occupancy_paper.experiments.claims.run import Config, run
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf
from oracles import steps_between

CLAIMS = experiment("claims")


@pytest.fixture(scope="module")
def rows():
    return [row for config, _ in CLAIMS.settings(True) for row in run(config, 0)]


def verdict(rows, id):
    return by_id(CLAIMS.find(rows))[id].verdict


def test_the_papers_bounds_at_discount_95_and_error_a_tenth():
    assert (bounds.sweeps_needed(0.95, 0.1), bounds.rounds_needed(0.95, 0.1)) == (180, 106)


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
    found = rooms.self_subgoals(np.where(np.isinf(steps), 99, steps))
    assert found["chosen"] > 0
    assert found["endless"] >= found["chosen"]


def test_every_finding_names_a_figure_that_is_drawn(rows):
    figures = CLAIMS.plot(rows)
    assert {finding.figure for finding in CLAIMS.findings(rows)} <= {None, *figures}


ALTERATIONS = [
    ("improvement", {"rises": 0}, Verdict.REPRODUCED),
    ("fixed_point", {"printed_miss_most": 0.0}, Verdict.REPRODUCED),
    ("contraction", {"entrywise_mean_share": 0.0, "after": 0.0}, Verdict.REPRODUCED),
    ("contraction_of_columns", {"column_ratio_most": 1.1}, Verdict.FAILS),
    ("convergence", {"convergence_most": 1.0}, Verdict.DIFFERS),
    ("bonus_of_the_sr", {"bonus_error_most": 0.1}, Verdict.DIFFERS),
    ("bounds_on_norms", {"norm_of_printed_most": 1.1}, Verdict.DIFFERS),
    ("bound_attained", {"attained": 99.0}, Verdict.REPRODUCED),
    ("bound_by_size", {"printed": 99.0}, Verdict.REPRODUCED),
    ("shortest_paths", {"mismatches": 1}, Verdict.DIFFERS),
    ("endless", {"endless": 0}, Verdict.REPRODUCED),
    ("bounds_on_iterations", {"value_iteration": 181}, Verdict.DIFFERS),
    ("value_iteration", {"vi_ending_coarse": 200}, Verdict.REPRODUCED),
    ("policy_iteration", {"pi_ending": 200, "pi_paying": 200}, Verdict.REPRODUCED),
    ("operations", {"frp_stops": 99}, Verdict.DIFFERS),
    ("sweeps_and_steps", {"above_path_length": 1}, Verdict.DIFFERS),
    ("three_turns", {"most_sweeps": 4}, Verdict.DIFFERS),
    ("gpi", {"same": 0}, Verdict.DIFFERS),
]


@pytest.mark.parametrize(("id", "changes", "expected"), ALTERATIONS)
def test_verdicts_come_from_the_rows(rows, id, changes, expected):
    opposite = {
        Verdict.REPRODUCED: Verdict.DIFFERS,
        Verdict.DIFFERS: Verdict.REPRODUCED,
        Verdict.FAILS: Verdict.HOLDS,
    }
    changed = [
        {**row, **{key: value for key, value in changes.items() if key in row}} for row in rows
    ]
    assert verdict(rows, id) == opposite[expected]
    assert verdict(changed, id) == expected


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
    assert verdict(changed, "about_180") == expected


def test_one_task_that_takes_fewer_improvements_is_enough(rows):
    changed = [{**row, "pi_paying": 200} if "pi_paying" in row else row for row in rows]
    assert verdict(changed, "policy_iteration") == Verdict.DIFFERS
    assert verdict(rows, "sweeps") == Verdict.REMARK


def test_lines_on_features_values_and_products_follow_the_rows(rows):
    ids = ("features", "values", "products")
    assert [verdict(rows, id) for id in ids] == [Verdict.REPRODUCED] * 3
    changed = copy.deepcopy(rows)
    for row in changed:
        if row["part"] == "representations":
            row |= {"features_miss": 0.1, "values_miss": 0.1, "products": [1.0, 1.0]}
    assert [verdict(changed, id) for id in ids] == [Verdict.DIFFERS] * 3


def test_the_kept_ledger_has_these_lines(rows, kept_ids):
    assert [line.id for line in CLAIMS.find(rows)] == kept_ids("claims")


def test_sentences_follow_the_rows(rows):
    assert deaf(CLAIMS, rows) == set()
