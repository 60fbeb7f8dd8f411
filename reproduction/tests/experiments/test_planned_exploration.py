import json
import sys
from itertools import product

import numpy as np
import pytest

from first_occupancy.environments import four_rooms
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.planned_exploration.peers import (
    PEERS,
    PLACES,
    TOLD,
    UNCHAINED,
    PeerConfig,
)
from first_occupancy_paper.experiments.planned_exploration.run import Config, HiddenGoalConfig, run
from first_occupancy_paper.experiments.planned_exploration.variants import ABLATIONS, WHOLE
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf
from oracles import steps_between

PLANNED_EXPLORATION = experiment("planned_exploration")

SIZE = {"trials": 3, "steps": 300}
SHOWN = (WHOLE, "no planning", "rewards x 1000")


def explored(variant, seed):
    return list(run(Config("RiverSwim-6", variant, **SIZE), seed))


@pytest.fixture(scope="module")
def rows():
    tasks = [row for variant in SHOWN for row in explored(variant, 0)]
    size = {"goals": 3, "goal_steps": 100}
    sought = [
        row for planning in (True, False) for row in run(HiddenGoalConfig(planning, **size), 0)
    ]
    return [*tasks, *sought]


def altered(rows, chosen, **changes):
    return [{**row, **changes} if chosen(row) else row for row in rows]


def verdict(rows, id):
    return by_id(PLANNED_EXPLORATION.find(rows))[id].verdict


def test_the_optimum_of_river_swim_is_that_of_always_swimming_right(rows):
    # Once the last state is reached, it is held 3 steps in 10 of those spent there.
    chain = np.diag([0.7, *[0.6] * 4, 0.3]) + np.diag([0.3] * 5, 1)
    chain += np.diag([0.1] * 4 + [0.7], -1)
    place, total = np.array([0, 0.5, 0.5, 0, 0, 0]), 0.0
    for _ in range(SIZE["steps"]):
        total += place[-1] * 0.3 * 10_000
        place = place @ chain
    # At the very end one may rather drift left for 5.
    assert rows[0]["optimum"] == pytest.approx(total, rel=1e-3)


def test_the_optimum_of_a_hidden_goal_is_the_round_trip(rows):
    steps = steps_between(four_rooms().next_states)[four_rooms().start]
    (row,) = (row for row in rows if row.get("agent") == "explorer")
    # The first arrival takes d steps, each later one a step back to the start and d again.
    round_trips = [(row["steps"] + 1) // (steps[goal] + 1) for goal in row["goals"]]
    assert row["optima"] == pytest.approx(round_trips)
    assert all(total <= best for total, best in zip(row["totals"], row["optima"], strict=True))


def test_rows_are_plain_and_follow_the_seed_alone(rows):
    first = [row for row in rows if row.get("variant") == WHOLE]
    assert len(first[0]["totals"]) == SIZE["trials"]
    assert json.dumps(explored(WHOLE, 0), allow_nan=False) == json.dumps(first)
    assert json.dumps(explored(WHOLE, 1)) != json.dumps(first)


def test_curves_of_trials_shorter_than_they_are_begin_at_the_first_step(rows, monkeypatch):
    monkeypatch.setattr(sys.modules[run.__module__], "CURVE_POINTS", 2 * SIZE["steps"])
    (row,) = explored(WHOLE, 0)
    assert row["curve_steps"] == list(range(1, SIZE["steps"] + 1))
    assert [row["curve"][step - 1] for step in rows[0]["curve_steps"]] == rows[0]["curve"]
    assert np.all(np.diff(row["curve"]) >= 0)


def test_full_settings_hold_200_trials_of_every_task_and_every_ablation():
    sizes = {}
    for config, seeds in PLANNED_EXPLORATION.settings(False):
        if isinstance(config, Config):
            sizes[config.task, config.variant] = config.trials * seeds
    assert [n for (_, variant), n in sizes.items() if variant == WHOLE] == [200] * 4
    assert {variant for _, variant in sizes} == {WHOLE, *ABLATIONS}


def test_every_finding_names_a_figure_that_is_drawn(rows):
    figures = PLANNED_EXPLORATION.plot(rows)
    assert {finding.figure for finding in PLANNED_EXPLORATION.findings(rows)} <= set(figures)


def test_the_targets_verdict_comes_from_the_rows(rows):
    optimum = rows[0]["optimum"]
    for share, outcome in ((0.95, Verdict.HOLDS), (0.85, Verdict.FAILS)):
        totals = [share * optimum * (1 + wobble) for wobble in (-0.001, 0, 0.001)]
        changed = altered(rows, lambda row: row["part"] == "task", totals=totals)
        assert verdict(changed, "target:RiverSwim-6") == outcome


def test_the_verdicts_of_ablation_scale_and_goals_come_from_the_rows(rows):
    poor = altered(rows, lambda row: row["part"] == "ablation", totals=[0.0, 1.0, 2.0])
    rich = altered(rows, lambda row: row["part"] == "ablation", totals=[9e9, 9e9, 9.1e9])
    low = altered(poor, lambda row: row["part"] == "task", totals=[1e5, 1.1e5, 1.2e5])
    assert verdict(low, "part:no planning") == Verdict.HOLDS
    assert verdict(rich, "part:no planning") == Verdict.FAILS
    assert verdict(rows, "scale") == Verdict.HOLDS
    assert verdict(poor, "scale") == Verdict.FAILS
    lost = altered(rows, lambda row: row.get("agent") == "explorer", totals=[0.0] * 3)
    (best,) = (row["optima"] for row in lost if row.get("agent") == "explorer")
    others = altered(
        lost, lambda row: row["part"] == "hidden_goal" and row["agent"] != "explorer", totals=best
    )
    assert verdict(others, "hidden_goal") == Verdict.FAILS
    assert verdict(others, "planning_in_rooms") == Verdict.FAILS


def peer_rows(told, others, task="RiverSwim-12"):
    """Return rows of the explorer that is told and of two peers, with given mean shares."""
    wobble = np.array([-0.01, 0.0, 0.01] * 10)
    methods = {TOLD: told, UNCHAINED: told, "R-MAX": others, "MBIE-EB": others}
    return [
        {
            "part": "peer",
            "task": task,
            "agent": name,
            "steps": 10,
            "totals": (100 * (share + wobble)).tolist(),
            "optima": [100.0] * 30,
        }
        for name, share in methods.items()
    ]


def test_the_verdicts_on_peers_come_from_the_rows(rows):
    for told, others, expected in (
        (0.95, 0.9, Verdict.HOLDS),
        (0.85, 0.9, Verdict.FAILS),
        (0.92, 0.92, Verdict.UNSETTLED),
    ):
        both = [*rows, *peer_rows(told, others)]
        assert verdict(both, "peers:RiverSwim-12") == expected
        assert verdict(both, "peer_target:RiverSwim-12") == expected
        assert verdict(both, "chaining") == Verdict.FAILS


def test_peers_are_run_with_one_setting_and_told_the_largest_reward():
    configs = [PeerConfig(name, "RiverSwim-6", 2, 100) for name in ("MBIE-EB", TOLD)]
    for config in configs:
        (row,) = run(config, 0)
        assert len(row["totals"]) == len(row["optima"]) == 2
        assert json.dumps(row) == json.dumps(next(iter(run(config, 0))))
    full = [config for config, _ in PLANNED_EXPLORATION.settings(False)]
    asked = {(c.method, c.place) for c in full if isinstance(c, PeerConfig)}
    assert asked == set(product(PEERS, PLACES))


def test_a_part_is_unsettled_if_the_loss_may_or_may_not_matter(rows):
    optimum = rows[0]["optimum"]
    mine = altered(rows, lambda row: row["part"] == "task", totals=[0.9 * optimum] * 3)
    wide = [0.7 * optimum, 0.88 * optimum, 1.0 * optimum]
    unsure = altered(mine, lambda row: row["part"] == "ablation", totals=wide)
    assert verdict(unsure, "part:no planning") == Verdict.UNSETTLED


def test_sentences_follow_the_rows(rows):
    # In short trials rewards are 0.0 times the paper's.
    assert deaf(PLANNED_EXPLORATION, rows, besides=["against_the_paper"]) == set()
