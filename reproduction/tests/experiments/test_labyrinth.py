"""Mice in the labyrinth: the tree, its turns, and models of a toy session."""

import json
import sys

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import poisson

from first_occupancy.behaviour.fitting import Fit
from first_occupancy.behaviour.models import habit_model
from first_occupancy_paper.experiments import Verdict, recordings
from first_occupancy_paper.experiments.labyrinth.find import poisson_interval
from first_occupancy_paper.experiments.labyrinth.recorded import (
    EXIT,
    TURNS,
    read_session,
    tree_layouts,
)
from first_occupancy_paper.experiments.labyrinth.run import Config, markov_logs, run
from first_occupancy_paper.experiments.labyrinth.runs import direct_runs, steps_between
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf

LABYRINTH = experiment("labyrinth")


@pytest.fixture
def toy(tmp_path):
    """Return a folder with one session: bouts that alternate left and right."""
    nodes = [0, 1, 4, 9, 20, 41, 84, 41, 20, 9, 4, 1, 0, 127]
    other = [0, 2, 5, 12, 25, 52, 105, 52, 25, 12, 5, 2, 0, 127]
    bouts = [{"nodes": nodes if number % 2 else other} for number in range(8)]
    (tmp_path / "A1b.json").write_text(json.dumps({"bouts": bouts}))
    return tmp_path


def test_the_tree_has_a_way_up_and_two_down_at_each_junction():
    layouts = tree_layouts(EXIT)
    exists = np.asarray(layouts.exists)
    assert exists[:63].sum(axis=1).tolist() == [3] * 63
    assert exists[63:].sum(axis=1).tolist() == [1] * 65
    following = np.asarray(layouts.next_states)
    assert set(following[5][exists[5]].tolist()) == {2, 11, 12}
    assert following[0][0] == EXIT


def test_turns_are_named_by_where_a_mouse_comes_from(toy):
    subjects = read_session(toy, "A1b")
    choices, layouts = subjects.choices, subjects.layouts
    turns = np.asarray(layouts.turns)
    previous, actions = np.asarray(choices.previous[0]), np.asarray(choices.actions[0])
    named = [TURNS[turns[before, after]] for before, after in zip(previous, actions, strict=True)]
    # Down: right, then left, right, left, right, left; back from the dead end, then up the stem.
    assert named[1:6] == ["alternate"] * 5
    assert named[6] == "back"
    assert named[7:12] == ["stem"] * 5


def test_a_markov_chain_counts_what_followed(toy):
    subjects = read_session(toy, "A1b")
    fitted = np.asarray(subjects.choices.counted)
    logs = markov_logs(subjects, 2, fitted=fitted)
    # From (0, 1) all four bouts went right: (4 + .5) of (4 + 3 * .5).
    assert logs[0, 14] == pytest.approx(np.log(4.5 / 5.5))


def test_a_chain_of_variable_order_uses_the_longest_sequence_seen_often_enough(toy):
    subjects = read_session(toy, "A1b")
    fitted = np.asarray(subjects.choices.counted)
    long, short = (markov_logs(subjects, order, fitted=fitted)[0] for order in (4, 1))
    sometimes, rarely = (
        markov_logs(subjects, 4, fitted=fitted, fewest=fewest)[0] for fewest in (4, 100)
    )
    # Every sequence of four nodes was seen four times; at the start of a bout there are none.
    begun = np.arange(len(long)) % 13 >= 3
    np.testing.assert_array_equal(sometimes[begun], long[begun])
    np.testing.assert_array_equal(rarely, short)
    assert not np.array_equal(long[begun], short[begun])


def test_direct_runs_are_counted_and_compared_with_what_biases_make_of_them(toy):
    subjects = read_session(toy, "A1b")
    steps = steps_between(subjects.layouts)
    assert steps[0, 84] == 6
    assert steps[EXIT, 105] == 7
    never = jnp.zeros((1, 4))  # no bias: every way is as likely as any other
    one, habits = jnp.ones(1), habit_model(subjects.layouts)
    found = Fit(habits, ("A1b",), never, jnp.eye(4)[None], one, jnp.ones(1, int), one)
    # Each of the four bouts that come there goes straight from the first junction to node 84.
    runs = direct_runs(found, subjects, 84)
    assert (runs["moments"], runs["runs"]) == (16, 4)
    # The first junction, which is passed twice in each bout: three ways at each of six junctions.
    # Other nodes at that distance are left on the way up: of them the dead end has but one way.
    assert runs["expected"] == pytest.approx(16 / 3**6, abs=2e-3)
    assert direct_runs(found, subjects, EXIT)["runs"] == 8


def test_poisson_intervals_are_exact():
    low, high = poisson_interval(5)
    assert poisson.sf(4, low) == pytest.approx(0.025)
    assert poisson.cdf(5, high) == pytest.approx(0.025)
    assert poisson_interval(0)[0] == 0


def test_rows_of_all_sessions_are_written(toy, monkeypatch):
    module = sys.modules[run.__module__]
    monkeypatch.setattr(module, "SESSIONS", ("A1b",))
    monkeypatch.setattr(module, "run", lambda config, seed: [{"bits": 1}])
    recordings.main(["labyrinth", str(toy / "rows.jsonl"), str(toy)])
    assert json.loads((toy / "rows.jsonl").read_text()) == {
        "bits": 1,
        "config": {"kind": "Config", "session": "A1b", "seed": 0},
    }


def test_a_run_yields_bits_of_every_model(toy, monkeypatch):
    monkeypatch.setattr(sys.modules[run.__module__], "DEAD_ENDS", range(114, 118))
    rows = list(run(Config("A1b", str(toy)), 0))
    models = [row for row in rows if "model" in row]
    bits = {row["model"]: row["bits"] for row in models}
    for row in models:
        number = sum(row["choices_by_bout"])
        assert number == row["choices"]
        assert sum(row["bits_by_bout"]) / number == pytest.approx(row["bits"], abs=1e-3)
    assert bits["random walk"] == pytest.approx(np.log2(3), abs=1e-3)
    assert bits["turning biases"] < 0.7
    assert json.loads(json.dumps(rows)) == rows
    findings = by_id(LABYRINTH.find(rows))
    assert findings["biases"].verdict == Verdict.HOLDS
    assert set(LABYRINTH.plot(rows)) == {"bits"}
    # Each order from 2 on has to be better, not the best of them.
    for bits, verdict in ((0.1, Verdict.HOLDS), (5.0, Verdict.FAILS)):
        for row in models:
            if row["model"].endswith("order 3"):
                row["bits_by_bout"] = [bits * each for each in row["choices_by_bout"]]
            elif row["model"].startswith("Markov"):
                row["bits_by_bout"] = [0.1 * each for each in row["choices_by_bout"]]
        assert by_id(LABYRINTH.find(rows))["markov"].verdict == verdict


def test_kept_rows_have_lines_and_a_figure():
    rows = LABYRINTH.kept()
    assert len(LABYRINTH.findings(rows)) == (6 if rows else 1)
    assert set(LABYRINTH.plot(rows)) == ({"bits"} if rows else set())


def test_sentences_follow_the_rows():
    assert deaf(LABYRINTH, LABYRINTH.kept()) == set()
