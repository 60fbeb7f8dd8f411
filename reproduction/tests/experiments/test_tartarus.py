"""The recordings of rats and humans: read, fitted as published, and compared.

Tests of the recordings themselves need the folder that FIRST_OCCUPANCY_DATA names.
"""

import json
import os
from dataclasses import asdict
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.behaviour.fitting import Fit, fit
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.recordings import VARIABLE, main
from first_occupancy_paper.experiments.registry import experiment
from first_occupancy_paper.experiments.tartarus.candidates import (
    CANDIDATES,
    NUM_TURNS,
    PAIRS,
    candidates,
    read_open_chain,
    read_subjects,
)
from first_occupancy_paper.experiments.tartarus.run import Config, Disagreements, all_configs, run
from first_occupancy_paper.experiments.tartarus.simulated import (
    OVER_LAYOUTS,
    PHASES,
    WITHIN_A_LAYOUT,
    compared_by_layout,
    shortest_paths,
    sums_by_phase,
)
from lines import by_id, deaf

TARTARUS = experiment("tartarus")

FOLDER = Path(os.environ.get(VARIABLE, "")) / "tartarus"
needs_recordings = pytest.mark.skipif(
    not (os.environ.get(VARIABLE) and FOLDER.is_dir()),
    reason=f"the recordings are not here: set {VARIABLE} to the folder that contains 'tartarus'",
)


@pytest.fixture
def toy(tmp_path):
    """Return a folder with two rats in two layouts, in the form of the recordings."""
    maze = np.zeros((10, 10), int)
    other = maze.copy()
    other[3, 4:8] = -1
    across = [35, 34, 33]
    around = [36, 46, 45, 44, 34, 33]
    rats = [[[across, [53, 43, 33]], [[53, 43, 33, 32], []]] for _ in range(2)]
    rats[1][0][0] = around
    chain = np.eye(100, k=1)
    chain[33] = 0
    for name, key, content in (
        ("mazes", "mazes", [maze.tolist(), other.tolist()]),
        ("rats", "subjects", rats),
        ("open_maze_transition", "transition", chain.tolist()),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps({key: content}))
    return tmp_path


def test_trials_are_cut_at_the_goal_and_missing_ones_skipped(toy):
    subjects = read_subjects(toy, "rats")
    assert subjects.names == ("rat 1", "rat 2")
    assert subjects.num_choices.tolist() == [6, 9]
    assert read_open_chain(toy).shape == (100, 100)


def test_a_run_yields_a_row_that_json_can_hold(toy):
    (row,) = run(Config("rats", "turning biases", str(toy), starts=1), 0)
    assert json.loads(json.dumps(row)) == row
    assert len(row["log_likelihoods"]) == len(row["held_out"]) == 2
    phases = row["by_phase"]
    assert list(phases) == list(PHASES)
    for kind in (WITHIN_A_LAYOUT, OVER_LAYOUTS):
        total = sum(sum(phases[name]) for name in kind)
        assert total == pytest.approx(sum(row["held_out"]), abs=0.1)
    assert set(row["values"]) == {"turn_1", "turn_2", "turn_3"}


def test_the_maze_has_as_many_kinds_of_turns_as_models_have_biases(toy):
    assert len(read_subjects(toy, "rats").layouts.turn_names) == NUM_TURNS
    models = candidates(None)
    assert all(model.name == name for name, model in models.items())
    assert models["SR, turning"].choice.turns == NUM_TURNS


def test_phases_are_trials_within_a_layout_and_layouts(toy):
    subjects = read_subjects(toy, "rats")
    ones = np.asarray(subjects.choices.counted, float)
    found = sums_by_phase(ones, subjects)
    # Two trials in the first layout and one in the second; the second rat's first is longer.
    assert found["trial 1"].tolist() == [4, 7]
    assert found["trials 2 to 5"].tolist() == [2, 2]
    assert found["layouts 1 to 8"].tolist() == [6, 9]


def test_simulated_subjects_are_compared_layout_by_layout(toy):
    subjects = read_subjects(toy, "rats")
    assert shortest_paths(subjects)[1, 38] == 7
    model = candidates(read_open_chain(toy))["FRP, K = 9"]
    number = jnp.tile(jnp.array([[2.0, 6.0]]), (2, 1))  # discount .88, inverse temperature 400
    zeros = jnp.zeros(2)
    fields = (jnp.zeros((2, 2, 2)), zeros, jnp.zeros(2, int), zeros)
    sure = Fit(model, subjects.names, number, *fields)
    found = compared_by_layout(sure, subjects, jax.random.key(0))
    # Seen by hand: of four trials in the first layout one takes two moves more than it has to.
    np.testing.assert_allclose(found["recorded_detours"], [0.5, 0.0])
    np.testing.assert_allclose(found["simulated_detours"], [0.0, 0.0])
    np.testing.assert_allclose(found["simulated_success"], 1.0)


@pytest.mark.filterwarnings("ignore:fit. the choices do not determine")
def test_disagreements_have_a_row_for_each_pair(toy):
    rows = list(run(Disagreements("rats", str(toy), starts=1), 0))
    assert [(row["first"], row["second"]) for row in rows] == list(PAIRS)
    for row in rows:
        counts = np.array([row[f"did_{each}"] for each in ("first", "second", "neither")])
        assert (counts.sum(axis=0) <= row["choices"]).all()
    assert json.loads(json.dumps(rows)) == rows


def test_every_model_is_run_for_both_species():
    configs = all_configs()
    assert len(configs) == 2 * (len(CANDIDATES) + 1)
    assert TARTARUS.settings(False) == []


def test_rows_that_a_file_has_are_not_made_again(toy, tmp_path, capsys):
    file = tmp_path / "rows.jsonl"
    for _ in range(2):
        main(["tartarus", str(file), str(toy), "rats", "random walk"])
    (row,) = [json.loads(line) for line in file.read_text().splitlines()]
    assert row["config"] == {
        "kind": "Config",
        "species": "rats",
        "model": "random walk",
        "starts": 4,
        "leave_out": False,
        "simulate": False,
        "seed": 0,
    }
    assert capsys.readouterr().out.count("random walk") == 2


def test_kept_rows_are_those_of_all_configs():
    rows = TARTARUS.kept()
    if not rows:
        pytest.skip("an installed package has no kept rows")
    made = {json.dumps(row["config"], sort_keys=True) for row in rows}
    wanted = set()
    for config in all_configs():
        named = {"kind": type(config).__name__, **asdict(config), "seed": 0}
        del named["folder"]
        wanted.add(json.dumps(named, sort_keys=True))
    assert made == wanted


def test_kept_rows_reproduce_the_published_sums_and_reverse_the_ranking():
    rows = TARTARUS.kept()
    if not rows:
        pytest.skip("an installed package has no kept rows")
    findings = by_id(TARTARUS.findings(rows))
    assert findings["published:rats"].verdict == Verdict.HOLDS
    assert findings["planning:rats"].verdict == Verdict.HOLDS
    # 88.7% of the improvement, by an interval that holds 90%.
    assert findings["switches:humans"].verdict == Verdict.UNSETTLED
    figures = {"switches", "subjects", "phases", "disagreements", "detours"}
    assert set(TARTARUS.plot(rows)) == figures
    assert {line.figure for line in findings.values()} - {None} <= figures
    assert len(findings) == 18


@pytest.mark.parametrize(
    ("share", "expected"), [(0.95, Verdict.HOLDS), (0.85, Verdict.FAILS), (0.9, Verdict.UNSETTLED)]
)
def test_three_switches_are_judged_by_an_interval_over_subjects(share, expected):
    rows = [dict(row) for row in TARTARUS.kept()]
    if not rows:
        pytest.skip("an installed package has no kept rows")
    noise = np.random.default_rng(0).normal(0, 5, 18)
    brings = {"FRP, K = 0": 0.0, "FRP, K = 3": share, "FRP, K = 9": 1.0}
    for row in rows:
        if row["species"] == "humans" and row.get("model") in brings:
            gains = 1000 * brings[row["model"]] + noise * (row["model"] == "FRP, K = 3")
            row["held_out"] = (gains - 5000).tolist()
    assert by_id(TARTARUS.find(rows))["switches:humans"].verdict == expected


def test_a_sum_that_is_off_by_a_nat_is_not_the_published_one():
    rows = [dict(row) for row in TARTARUS.kept()]
    if not rows:
        pytest.skip("an installed package has no kept rows")
    (row,) = [r for r in rows if (r["species"], r.get("model")) == ("rats", "SR, published")]
    row["log_likelihoods"] = [row["log_likelihoods"][0] - 2, *row["log_likelihoods"][1:]]
    line = by_id(TARTARUS.findings(rows))["published:rats"]
    assert line.judgement == "does not hold, for all but the model-free agent"


def test_without_rows_nothing_is_claimed():
    (finding,) = TARTARUS.findings([])
    assert finding.verdict == Verdict.NOT_RUN
    assert TARTARUS.plot([]) == {}


@needs_recordings
@pytest.mark.parametrize(
    ("species", "walk", "successor"), [("rats", -55_452, -53_650), ("humans", -87_581, -83_151)]
)
@pytest.mark.filterwarnings("ignore:fit. the choices do not determine")
def test_published_sums_are_reproduced_to_the_unit(species, walk, successor):
    subjects, chain = read_subjects(FOLDER, species), read_open_chain(FOLDER)
    for name, published in (("random walk", walk), ("SR, published", successor)):
        found = fit(candidates(chain)[name], subjects, jax.random.key(0))
        assert round(found.log_likelihood) == published


@needs_recordings
def test_planning_describes_the_rats_as_well_as_was_said():
    subjects, chain = read_subjects(FOLDER, "rats"), read_open_chain(FOLDER)
    found = fit(candidates(chain)["FRP, K = 9"], subjects, jax.random.key(0))
    assert found.log_likelihood >= -45_941


def test_sentences_follow_the_rows():
    assert deaf(TARTARUS, TARTARUS.kept()) == set()
