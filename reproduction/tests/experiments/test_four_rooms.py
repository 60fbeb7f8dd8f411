"""FourRooms: the task, its exact expectation, the learning, and what is read from the rows."""

import copy
import json

import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.figure import Figure

from first_occupancy.core import chain, constant_policies
from first_occupancy.environments import four_rooms
from first_occupancy.representations import first_occupancy, successor
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.four_rooms import planners, task
from first_occupancy_paper.experiments.four_rooms.config import Config
from first_occupancy_paper.experiments.four_rooms.learning import (
    FR,
    SR,
    learn_all,
    no_luck,
    slip,
    walks_of_moves,
)
from first_occupancy_paper.experiments.four_rooms.noise import (
    EXACT,
    QUICKEST,
    THREE_SWEEPS,
    UNDER_NOISE,
    VI,
    WITHOUT_NOISE,
)
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf

FOUR_ROOMS = experiment("four_rooms")

SMALL = (
    Config("returns", switches=(0, 3, 4), episodes=20, steps=25, also_after=(2,)),
    Config("noise", noises=(0.0, 0.5), episodes=5, steps=15, learning_episodes=3),
    Config("learning_curves", runs=2, steps=12, learning_episodes=4),
)


@pytest.fixture(scope="module")
def rows():
    return [row for config in SMALL for row in FOUR_ROOMS.run(config, 0)]


def of_planner(rows, planner, sweeps):
    (row,) = [r for r in rows if (r.get("planner"), r.get("sweeps")) == (planner, sweeps)]
    return row


def test_slips_have_the_right_chances():
    luck = np.random.default_rng(0).random(40_000)
    moved = slip(np.full(luck.shape, 2), luck, 0.4)
    chances = np.bincount(moved, minlength=4) / len(luck)
    np.testing.assert_allclose(chances, [0.1, 0.1, 0.7, 0.1], atol=5 * 0.5 / 200)


def test_goals_are_uniform_over_all_states_but_the_last():
    luck = np.random.default_rng(1).random((20_000, 2))
    goals = task.goal_sequences(luck, 5, 3)
    assert (goals[:, 0] != 3).all()
    assert (goals[:, 0] != goals[:, 1]).all()
    counts = np.bincount(goals[goals[:, 0] == 1, 1], minlength=5)
    np.testing.assert_allclose(counts / counts.sum(), [0.25, 0, 0.25, 0.25, 0.25], atol=0.04)


@pytest.mark.parametrize("noise", [0.0, 0.6])
def test_the_mean_of_played_returns_is_the_exact_expectation(noise):
    world, rng = four_rooms(noise=noise), np.random.default_rng(2)
    actions = planners.frp_policies(planners.exact_frs(world.mdp, 0.95)).argmax(axis=-1)
    goals = task.goal_sequences(rng.random((4000, 31)), world.num_states, world.start)
    luck = rng.random((4000, 30))
    returns = task.play(world, actions[None], goals, luck).returns(0.95)
    policies = jnp.asarray(np.eye(4)[actions][None])
    (exact,) = task.expected_returns(world.mdp, policies, discount=0.95, steps=30)
    assert abs(returns.mean() - float(exact)) < 4 * returns.std() / np.sqrt(returns.size)


def test_discounts_are_those_of_shortest_paths():
    world = four_rooms()
    actions = planners.frp_policies(planners.exact_frs(world.mdp, 0.95)).argmax(axis=-1)
    found = planners.discounts(world.mdp, actions[None], 0.95)[0]
    distance = np.full(found.shape, 0)
    for goal in range(world.num_states):
        reached, steps = {goal}, 0
        while len(reached) < world.num_states:
            steps += 1
            nearer = {s for s in range(world.num_states) if {*world.next_states[:, s]} & reached}
            distance[goal, list(nearer - reached)] = steps
            reached |= nearer
    np.testing.assert_allclose(found, 0.95**distance, rtol=1e-12)


def test_long_learning_ends_at_the_exact_representations():
    world = four_rooms()
    orders = np.random.default_rng(3).random((world.num_actions, 80, world.num_states))
    walks = walks_of_moves(world, orders, no_luck(12, orders))[1]
    assert (np.sort(walks[..., 0], axis=1) == np.arange(world.num_states)).all()
    twice, decays = jnp.asarray(np.stack([walks, walks])), jnp.array([FR, SR])
    learned, _ = learn_all(twice, decays, discount=0.8, step_size=0.5)
    right = chain(world.mdp, constant_policies(world.mdp)[1])
    np.testing.assert_allclose(
        learned[0, -1], first_occupancy.solve(right, discount=0.8), atol=1e-6
    )
    np.testing.assert_allclose(learned[1, -1], successor.solve(right, discount=0.8), atol=1e-6)


def test_rows_hold_what_was_asked_for(rows):
    json.dumps(rows, allow_nan=False)
    assert all(len(r["returns"]) == 20 for r in rows if "sweeps" in r)
    noisy = [r for r in rows if r["part"] == "noise"]
    planners = (UNDER_NOISE, WITHOUT_NOISE, THREE_SWEEPS, EXACT, VI, QUICKEST)
    assert [(r["noise"], r["planner"]) for r in noisy] == [
        (noise, planner) for noise in (0.0, 0.5) for planner in planners
    ]
    exact = next(r for r in rows if r.get("learned_for") == "exact")
    assert exact["shortest"][0] < 0.3
    assert exact["shortest"][1:] == [1, 1]
    for row in (r for r in rows if "walk" in r):
        assert [row["walk"][t] for t in row["arrivals"]] == row["walk_goals"][:-1]


def test_the_same_seed_gives_the_same_rows_and_another_others(rows):
    assert [*FOUR_ROOMS.run(SMALL[0], 0), *FOUR_ROOMS.run(SMALL[1], 0)] == [
        r for r in rows if r["part"] != "learning_curves"
    ]
    assert list(FOUR_ROOMS.run(SMALL[2], 1)) != [r for r in rows if r["part"] == "learning_curves"]


def test_there_is_a_figure_for_every_finding(rows):
    figures = FOUR_ROOMS.plot(rows)
    assert all(isinstance(figure, Figure) for figure in figures.values())
    assert {finding.figure for finding in FOUR_ROOMS.findings(rows)} <= set(figures)


def test_verdicts_follow_the_rows(rows):
    def verdicts(rows):
        return {id: line.verdict for id, line in by_id(FOUR_ROOMS.find(rows)).items()}

    before, changed = verdicts(rows), copy.deepcopy(rows)
    worse = of_planner(changed, "FRP", 3)
    worse["returns"] = [value / 2 for value in worse["returns"]]
    for row in changed:
        if "gpi_differs_from_frp_0" in row:
            row["gpi_differs_from_frp_0"] = 7
        if row.get("learned_for") == "50":
            row["largest_miss"] = 0.001
        if row.get("planner") in (UNDER_NOISE, EXACT):
            row["expected_return"] -= 100
        if row.get("representation") == "SR":
            row["errors"] = [errors[::-1] for errors in row["errors"]]
    after = verdicts(changed)
    assert before["three_sweeps"] == Verdict.REPRODUCED
    worsened = ("three_sweeps", "gpi_is_frp", "noise", "learning")
    assert {after[id] for id in worsened} == {Verdict.DIFFERS}
    assert after["accuracy"] == Verdict.UNDETERMINED


def test_losses_under_noise_are_told_apart_and_a_wide_interval_settles_nothing(rows):
    (level,) = {row["noise"] for row in rows if row.get("part") == "noise"} - {0.0, 1.0} or {0.5}

    def line(losses, levels=1, worse=(UNDER_NOISE,)):
        others = [row for row in rows if row["part"] != "noise"]
        noisy = [row for row in rows if row["part"] == "noise" and row["noise"] == level]
        several = [
            {**row, "seed": seed, "noise": level + number / 100}
            for seed in range(len(losses))
            for number in range(levels)
            for row in noisy
        ]
        for row in several:
            row["expected_return"] = 50.0
            if row["planner"] in worse and row["noise"] == level:
                row["expected_return"] *= 1 - losses[row["seed"]]
        return by_id(FOUR_ROOMS.findings([*others, *several]))["noise"]

    assert line([0.01, 0.012, 0.011]).verdict == Verdict.REPRODUCED
    # If planning with exact FRs loses a tenth, the claim is wrong. If only learned FRs do, it
    # depends on how they are learned, which is not printed.
    large = [0.1, 0.11, 0.105]
    assert line(large, worse=(EXACT, UNDER_NOISE)).verdict == Verdict.DIFFERS
    assert line(large).verdict == Verdict.UNDETERMINED
    assert "with exact FRs it matches" in line(large).given
    assert line([0.0, 0.05, 0.1]).verdict == Verdict.UNSETTLED
    # Clearly beyond by itself (.078 to .102), but not as one of eleven levels (.047 to .133).
    losses = [0.085, 0.09, 0.095]
    assert line(losses).verdict == Verdict.UNDETERMINED
    assert line(losses, levels=11).verdict == Verdict.UNSETTLED


def test_one_run_whose_errors_do_not_halve_is_enough(rows):
    def verdict(last):
        falling = [[1.0, 0.4, 0.2], [1.0, 0.4, last]]
        changed = [{**row, "errors": falling} if "errors" in row else row for row in rows]
        return by_id(FOUR_ROOMS.find(changed))["learning"].verdict

    assert verdict(0.2) == Verdict.REPRODUCED
    assert verdict(0.6) == Verdict.DIFFERS  # though the mean of both runs has more than halved


def test_the_kept_ledger_has_these_lines(rows, kept_ids):
    assert [line.id for line in FOUR_ROOMS.find(rows)] == kept_ids("four_rooms")


def test_sentences_follow_the_rows(rows):
    assert deaf(FOUR_ROOMS, rows) == set()
