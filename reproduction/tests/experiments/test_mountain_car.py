"""The MountainCar experiment: its true values, its choices, and what is read from the rows."""

import copy
import json
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.figure import Figure

from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.mountain_car import choices, truth
from first_occupancy_paper.experiments.mountain_car.config import (
    KEEPS,
    READINGS,
    STOPS,
    WALL_PARTS,
    Config,
)
from first_occupancy_paper.experiments.mountain_car.numbers import chosen
from first_occupancy_paper.experiments.registry import experiment
from first_occupancy_paper.worlds.mountain_car_walks import POWERS
from lines import by_id, deaf

MOUNTAIN_CAR = experiment("mountain_car")

SMALL = Config(
    "choice",
    episodes=40,
    steps=150,
    num_features=12,
    basis=(16, 10),
    goals=(0.1, 0.2, 0.4),
    starts=5,
    horizon=200,
)
PARTS = (
    SMALL,
    replace(SMALL, part="features"),
    replace(SMALL, part="settings", step_size=0.3),
    replace(SMALL, part="readings", other_lengths=(0.2,), other_readings=READINGS),
)
OTHER_WALL = tuple(replace(SMALL, part=part, left_wall=KEEPS) for part in WALL_PARTS)


@pytest.fixture(scope="module")
def rows():
    rows = [row for config in PARTS for row in MOUNTAIN_CAR.run(config, 0)]
    # Networks are slow to train, and for what is read from rows these will do.
    networks = {**rows[0], "part": "network"}
    return [*rows, networks, *MOUNTAIN_CAR.run(SMALL, 1)]


def simulate(start, power, steps):
    """Return the positions of a walk, step by step."""
    position, velocity, positions = start, 0.0, [start]
    for _ in range(steps):
        action = -np.sign(position) * power if velocity == 0 else np.sign(velocity) * power
        velocity += action * 0.0015 - 0.0025 * np.cos(3 * position)
        velocity = min(max(velocity, -0.07), 0.07)
        position = min(max(position + velocity, -1.2), 0.6)
        velocity = 0.0 if position == -1.2 and velocity < 0 else velocity
        positions.append(position)
    return np.array(positions)


def test_true_values_and_exact_features_are_those_of_a_plain_loop():
    walks = truth.walks(SMALL)
    true, (ff, sf) = truth.true_values(walks, SMALL), truth.exact_features(walks, SMALL)
    starts = [-0.58, -0.54, -0.5, -0.46, -0.42]
    centres, width = np.linspace(-1.2, 0.6, 12), 0.7 * 1.8 / 11
    for number, power in ((3, 0.4), (8, 0.9)):
        values, firsts, sums = [], [], []
        for start in starts:
            positions = simulate(start, power, 200)
            bumps = np.exp(-0.5 * ((positions[:, None] - centres) / width) ** 2)
            discounts = 0.99 ** np.arange(201)
            values.append([discounts[positions >= goal].max(initial=0) for goal in SMALL.goals])
            firsts.append([discounts[above].max(initial=0) for above in bumps.T >= 0.7])
            sums.append(discounts @ bumps)
        np.testing.assert_allclose(true[number], np.mean(values, axis=0), rtol=1e-9)
        np.testing.assert_allclose(ff[number], np.mean(firsts, axis=0), rtol=1e-9)
        np.testing.assert_allclose(sf[number], np.mean(sums, axis=0), rtol=1e-9)


def test_true_values_are_computed_once_for_all_runs_of_the_same_world(monkeypatch):
    walks, computed = truth.walks, []
    monkeypatch.setattr(truth, "walks", lambda config: computed.append(config) or walks(config))
    world = replace(SMALL, horizon=90)
    others = [
        replace(world, starts=6),
        replace(world, horizon=91),
        replace(world, left_wall=KEEPS),
        replace(world, goals=(0.1, 0.3)),
        replace(world, discount=0.9),
    ]
    alike = [replace(world, part="features", num_features=9), replace(world, step_size=0.1)]
    for config in (world, *alike, *others, world):
        expected = truth.true_values(walks(config), config)
        np.testing.assert_array_equal(truth.expected_values(config), expected)
    assert len(computed) == 1 + len(others)
    with jax.enable_x64(not jax.config.jax_enable_x64):
        other_precision = truth.expected_values(world)
    assert other_precision.dtype != truth.expected_values(world).dtype


def test_a_goal_pays_from_its_position_on_over_its_length():
    states = jnp.array([[0.09, 0], [0.1, 0.01], [0.205, 0.02], [0.215, 0], [0.5, 0], [0.52, 0]])
    paid = np.asarray(truth.rewards(states, SMALL))
    assert paid.T.tolist() == [[0, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 0]]


def test_a_reward_that_is_a_feature_is_fitted_and_the_highest_value_chosen():
    states = choices.draw_walks(jax.random.key(0), SMALL)[1].reshape(-1, 2)
    features = jax.vmap(truth.position_bumps(SMALL))(states)
    np.testing.assert_allclose(features.max(axis=0)[1:-1], 1, atol=0.1)
    strengths = jnp.arange(9.0)[:, None] * jnp.ones((1, 12))
    weights = jnp.eye(12)[:, [4, 5, 6]] * jnp.array([[1.0, -1.0, 2.0]])
    row = choices.choice(strengths, weights, jnp.ones((9, 3)), SMALL)
    assert row["chosen"] == [8, 0, 8]
    assert [row["estimates"][8][goal] for goal in range(3)] == [8, -8, 16]


def test_rows_are_plain_and_hold_what_was_asked_for(rows):
    json.dumps(rows, allow_nan=False)
    assert [row["part"] for row in rows].count("choice") == 4
    learned = [row for row in rows if "errors" in row]
    assert all(len(row["errors"]) == 40 for row in learned)
    assert all(np.shape(row["estimates"]) == (9, 3) for row in rows if "estimates" in row)
    (facts,) = [row for row in rows if "best_from" in row]
    np.testing.assert_allclose(np.sum(facts["best_from"], axis=0), 1)


def test_the_same_seed_gives_the_same_rows_and_another_others(rows):
    first, other = rows[:2], rows[-2:]
    assert list(MOUNTAIN_CAR.run(SMALL, 0)) == first
    assert [row["estimates"] for row in other] != [row["estimates"] for row in first]


def test_a_network_chooses_the_policy_the_linear_estimate_does(rows, monkeypatch):
    two = jnp.array([POWERS.index(0.2), POWERS.index(0.9)])
    linear = np.array(rows[0]["estimates"])[two]
    draw_walks, expected_values = choices.draw_walks, truth.expected_values

    def walks_of_two(key, config):
        unrewarded, rewarded = draw_walks(key, config)
        return unrewarded[two], rewarded

    # Two policies of nine: training takes most of this test's time.
    monkeypatch.setattr(choices, "draw_walks", walks_of_two)
    monkeypatch.setattr(truth, "expected_values", lambda config: expected_values(config)[two])
    config = replace(SMALL, part="network", updates=500, copy_rate=0.3)
    (networks,) = MOUNTAIN_CAR.run(config, 0)
    assert networks["chosen"] == linear.argmax(axis=0).tolist() == [1, 1, 1]
    assert chosen(networks).share == 1


def test_there_is_a_figure_for_every_finding(rows):
    figures = MOUNTAIN_CAR.plot(rows)
    assert all(isinstance(figure, Figure) for figure in figures.values())
    assert {finding.figure for finding in MOUNTAIN_CAR.findings(rows)} == set(figures)


def altered(rows, change):
    changed = copy.deepcopy(rows)
    for row in changed:
        change(row)
    return {id: line.verdict for id, line in by_id(MOUNTAIN_CAR.find(changed)).items()}


def perfect(row):
    """Make FF right about everything and SF ten times too high for the weakest policy."""
    if "estimates" in row:
        good = row["representation"] == "FF"
        true = np.array(row["true"])
        row["estimates"] = (true if good else 10 * true).tolist()
        row["chosen"] = [int(best) if good else 2 for best in true.argmax(axis=0)]
        if not good:
            row["estimates"][2] = [5.0] * 3
    if "strengths" in row:
        row["strengths"] = [*range(9)] if row["representation"] == "FF" else [*range(9, 0, -1)]
        row["errors"] = np.linspace(1, 0.1, 40).tolist()
    if "best_from" in row:
        row["true"] = np.array(row["true"])[::-1].tolist()


def backwards(row):
    """Swap the names, so that all that was said of one representation is true of the other."""
    perfect(row)
    if "representation" in row and row["part"] != "network":
        row["representation"] = {"FF": "SF", "SF": "FF"}[row["representation"]]
    if "errors" in row:
        row["errors"] = row["errors"][::-1]


def with_poor_networks(row):
    perfect(row)
    if row["part"] == "network":
        row["chosen"] = [0, 0, 0]


def test_verdicts_follow_the_rows(rows):
    best, worst = altered(rows, perfect), altered(rows, backwards)
    without = (Verdict.UNDETERMINED, Verdict.REMARK)
    judged = {id for id, verdict in best.items() if verdict not in without}
    assert len(judged) == 8
    assert {best[id] for id in judged} == {Verdict.REPRODUCED, Verdict.HOLDS}
    assert {worst[id] for id in judged - {"tradeoff", "networks"}} == {Verdict.DIFFERS}
    assert altered(rows, lambda row: None)["tradeoff"] == Verdict.DIFFERS
    assert altered(rows, with_poor_networks)["networks"] == Verdict.FAILS


def test_a_verdict_that_depends_on_the_left_wall_is_not_determined(rows):
    both = [*rows, *(row for config in OTHER_WALL for row in MOUNTAIN_CAR.run(config, 0))]

    def perfect_if_it_stops(row):
        (perfect if row["left_wall"] == STOPS else backwards)(row)

    verdicts = altered(both, perfect_if_it_stops)
    assert verdicts["learning"] == Verdict.UNDETERMINED
    assert altered(both, perfect) == altered(rows, perfect)
    told = by_id(MOUNTAIN_CAR.findings(both))
    fewer = told["dimensions"]
    # The same verdict under both rules, whatever it is, does not depend on the rule.
    assert fewer.verdict == Verdict.UNDETERMINED
    assert "The same under both rules for the left wall" in fewer.why
    chosen_well = told["nearly_optimal"]
    assert [chosen_well.ours.count(f"; {runs} runs") for runs in (2, 1)] == [1, 1]
    assert chosen_well.given == "with settings found by a search"
    assert "[differs]" in told["tradeoff"].ours


def test_sentences_follow_the_rows(rows):
    assert deaf(MOUNTAIN_CAR, rows) == set()
