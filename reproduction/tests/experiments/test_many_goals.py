import json
from itertools import pairwise, permutations, product

import numpy as np
import pytest

from first_occupancy.environments import four_rooms
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.many_goals.run import GOAL_CELLS, Config, run
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf
from oracles import steps_between

MANY_GOALS = experiment("many_goals")


@pytest.fixture(scope="module")
def rows():
    return [row for config, _ in MANY_GOALS.settings(True) for row in run(config, 0)]


def altered(rows, chosen, **changes):
    return [{**row, **changes} if chosen(row) else row for row in rows]


def verdicts(rows):
    return {id: line.verdict for id, line in by_id(MANY_GOALS.find(rows)).items()}


def test_the_tour_is_the_shortest_walk_through_all_goals(rows):
    steps = steps_between(four_rooms().next_states)
    (tour,) = (row for row in rows if row["part"] == "tour")
    start, goals = four_rooms().start, [four_rooms().state(*cell) for cell in GOAL_CELLS]
    length = min(
        steps[start, order[0]] + sum(steps[pair] for pair in pairwise(order))
        for order in permutations(goals)
    )
    assert sorted(tour["order"]) == sorted(goals)
    assert tour["log_discount"] / np.log(0.95) == pytest.approx(length)
    assert len(tour["legs"]) == len(goals)


def test_rows_are_plain_and_follow_the_seed_alone(rows):
    config = Config("options", trials=200)
    again = [row for row in rows if row["part"] == "options"]
    assert json.dumps(list(run(config, 0)), allow_nan=False) == json.dumps(again)
    assert json.dumps(list(run(config, 1))) != json.dumps(again)


def test_running_the_options_brings_what_the_frs_say(rows):
    worth = {row["noise"]: row for row in rows if row["part"] == "worth"}
    for noise, way in product((0.0, 0.2), ("leg_by_leg", "rechoosing")):
        (row,) = (r for r in rows if r.get("way") == way and r["noise"] == noise)
        error = np.sqrt(row["variance"] / row["episodes"])
        assert abs(row["mean"] - worth[noise][way]) <= 4 * error + 1e-9


def test_every_finding_names_a_figure_that_is_drawn(rows):
    figures = MANY_GOALS.plot(rows)
    assert {finding.figure for finding in MANY_GOALS.findings(rows)} <= set(figures)


def test_verdicts_come_from_the_rows(rows):
    exact = {row["noise"]: row for row in rows if row["part"] == "worth"}
    before = verdicts(rows)
    assert before["best_order"] == before["optimal:0"] == Verdict.REPRODUCED
    assert before["options"] == Verdict.UNSETTLED  # 200 episodes: the interval is wider than 5%
    sure = altered(rows, lambda row: "way" in row, variance=0.0)
    for row in sure:
        if "way" in row:
            row["mean"] = 1.04 * exact[row["noise"]][row["way"]]
    assert verdicts(sure)["options"] == Verdict.REPRODUCED
    assert before["cost"] == before["optimal:0.2"] == Verdict.DIFFERS
    worse = altered(rows, lambda row: row["part"] == "tour", brute_force=-1.0)
    assert verdicts(worse)["best_order"] == Verdict.DIFFERS
    unequal = altered(rows, lambda row: row["part"] == "orders", largest_gap=0.1)
    assert verdicts(unequal)["cost"] == Verdict.REPRODUCED
    off = altered(rows, lambda row: "way" in row, mean=0.9)
    assert verdicts(off)["options"] == Verdict.DIFFERS
    noisy = altered(rows, lambda row: row["part"] == "worth", leg_by_leg_least_share=0.9)
    assert verdicts(noisy)["optimal:0"] == Verdict.DIFFERS


def test_sentences_follow_the_rows(rows):
    assert deaf(MANY_GOALS, rows) == set()
