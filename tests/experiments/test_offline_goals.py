"""Goals from logs: a small run of every variant, and what rows say."""

import json

import numpy as np
import pytest

from corridors import corridor_log
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.experiments import Verdict
from first_occupancy.experiments.offline_goals import OFFLINE_GOALS
from first_occupancy.experiments.offline_goals.find import counts
from first_occupancy.experiments.offline_goals.run import SETS, Config, run
from first_occupancy.experiments.offline_goals.variants import VARIANTS, plan_of


@pytest.fixture(scope="module")
def small():
    """Return the rows of a little data, one episode per task, and of bounds."""
    config = Config("medium", "stitch", divisor=25, episodes=1, pairs=3)
    return list(run(config, 0))


def test_a_little_data_reaches_most_goals(small):
    attempts = [row for row in small if "reached" in row]
    assert [row["task"] for row in attempts] == [1, 2, 3, 4, 5]
    assert sum(row["reached"] for row in attempts) >= 4
    assert json.loads(json.dumps(small)) == small


def test_bounds_are_checked_against_rollouts(small):
    checks = [row for row in small if "low" in row]
    assert len(checks) == 3
    assert all(0 <= row["low"] <= row["high"] <= 1 and 0 <= row["real"] <= 1 for row in checks)


@pytest.fixture(scope="module")
def corridor():
    return landmark_world(corridor_log(), num_actions=3)


@pytest.mark.parametrize("name", list(VARIANTS))
def test_every_variant_values_landmarks_more_the_nearer_they_are(corridor, name):
    plan = plan_of(VARIANTS[name], corridor, np.array([8.0]))
    far = np.abs(corridor.landmarks[:, 0] - 8)
    values = plan.values[np.argsort(far)]
    assert (values >= 0).all()
    assert values[:3].mean() > values[-3:].mean()


def made(reached, variant="surest", divisor=1, maze=None, kind=None):
    """Return rows in which a share of 1,000 episodes reached the goal on every set."""
    return [
        {
            "maze": each,
            "kind": how,
            "variant": variant,
            "divisor": divisor,
            "seed": 0,
            "task": 1,
            "episodes": 1000,
            "reached": int(1000 * reached),
        }
        for each, how in SETS
        if maze in (None, each) and kind in (None, how)
    ]


def test_verdicts_follow_the_intervals():
    tenth = made(0.95, divisor=10, maze="giant", kind="stitch")
    good = OFFLINE_GOALS.find([*made(0.99), *tenth, *made(0.5, variant="soonest")])
    assert [line.verdict for line in good] == [Verdict.HOLDS] * 3
    assert OFFLINE_GOALS.find(made(0.5))[0].verdict == Verdict.FAILS
    assert OFFLINE_GOALS.find(made(0.95))[0].verdict == Verdict.UNSETTLED
    same = OFFLINE_GOALS.find([*made(0.99), *made(0.99, variant="soonest")])
    assert same[-1].verdict == Verdict.UNSETTLED


def test_bounds_have_a_line():
    rows = [{"maze": "medium", "low": 0.5, "high": 1.0, "real": 0.6} for _ in range(200)]
    assert OFFLINE_GOALS.find([*made(0.99), *rows])[-1].verdict == Verdict.HOLDS
    # 20 of 20 is too few to be sure of 95%.
    assert OFFLINE_GOALS.find([*made(0.99), *rows[:20]])[-1].verdict == Verdict.UNSETTLED
    wrong = [{**row, "low": 0.7} for row in rows]
    assert OFFLINE_GOALS.find([*made(0.99), *wrong])[-1].verdict == Verdict.FAILS


def test_rows_are_counted_by_set_and_variant():
    assert counts(made(0.3), "surest", "large", "stitch") == (300, 1000)
    assert counts(made(0.3), "soonest", "large", "stitch") == (0, 0)


def test_kept_rows_have_lines_and_a_figure():
    rows = OFFLINE_GOALS.kept()
    lines = OFFLINE_GOALS.find(rows)
    assert len(lines) >= 1
    assert set(OFFLINE_GOALS.plot(rows)) == ({"success"} if rows else set())
    assert OFFLINE_GOALS.settings(True) == []


def test_variants_are_named_by_their_keys():
    assert all(name == each.name for name, each in VARIANTS.items())
