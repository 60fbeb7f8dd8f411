"""Mice in the labyrinth: the tree, its turns, and models of a toy session."""

import json

import numpy as np
import pytest

from first_occupancy.experiments import Verdict
from first_occupancy.experiments.labyrinth import LABYRINTH
from first_occupancy.experiments.labyrinth.recorded import EXIT, TURNS, read_session, tree_layouts
from first_occupancy.experiments.labyrinth.run import Config, markov_logs, run


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


def test_a_run_yields_bits_of_every_model(toy):
    rows = list(run(Config("A1b", str(toy)), 0))
    bits = {row["model"]: row["bits"] for row in rows}
    assert bits["random walk"] == pytest.approx(np.log2(3), abs=1e-3)
    assert bits["turning biases"] < 0.7
    assert json.loads(json.dumps(rows)) == rows
    findings = LABYRINTH.find(rows)
    assert findings[0].verdict == Verdict.HOLDS
    assert set(LABYRINTH.plot(rows)) == {"bits"}
    # Each order from 2 on has to be better, not the best of them.
    assert findings[1].verdict == Verdict.FAILS
    for row in rows:
        row["bits"] = 0.1 if row["model"].startswith("Markov") else row["bits"]
    assert LABYRINTH.find(rows)[1].verdict == Verdict.HOLDS
    for row in rows:
        row["bits"] = 0.9 if row["model"].endswith("order 3") else row["bits"]
    assert LABYRINTH.find(rows)[1].verdict == Verdict.FAILS


def test_kept_rows_have_lines_and_a_figure():
    rows = LABYRINTH.kept()
    assert len(LABYRINTH.find(rows)) == (3 if rows else 1)
    assert set(LABYRINTH.plot(rows)) == ({"bits"} if rows else set())
