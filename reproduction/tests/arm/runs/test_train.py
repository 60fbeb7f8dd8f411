"""Runs that are killed and go on, the rows they leave, and what is made of those."""

import json
import shutil
import time
from dataclasses import replace
from functools import partial

import jax
import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.learner import finetuning
from first_occupancy_paper.arm.runs import row_files, run_folders
from first_occupancy_paper.arm.runs.run_config import (
    RunConfig,
    as_data,
    environment_seeds,
    from_data,
    quick,
)
from first_occupancy_paper.arm.runs.run_folders import ROWS
from first_occupancy_paper.arm.runs.train import train
from first_occupancy_paper.arm.training import evaluation_episodes
from jaco_runs import TINY, KilledError, drifting, load_trained, options, rows_of, with_changes


@pytest.mark.whole
def test_a_run_from_beginning_to_end(tmp_path):
    """Everything about one run in one test, because it takes long to compile."""
    whole, told = tmp_path / "whole", []
    assert train(TINY, whole, options=options(on_progress=told.append))
    check_that_rows_tell_how_every_run_did(rows_of(whole))
    check_that_values_told_are_of_the_phase(told)
    for number, steps in enumerate([(0,), (17,), (29, 3), (30,), (45, 20), (69,)]):
        check_that_a_killed_run_ends_the_same(whole, tmp_path / f"killed{number}", steps)
    check_that_a_run_out_of_time_ends_the_same(whole, tmp_path / "hurried")
    check_that_checkpoints_wait_for_evaluations(whole, tmp_path / "slow")
    check_that_an_interrupted_run_leaves_no_evaluation_behind(tmp_path / "interrupted")
    check_that_a_finished_run_stays_as_it_is(whole)
    check_that_company_does_not_matter(whole, tmp_path / "company")
    check_that_pretraining_is_taken_along(whole, tmp_path / "shorter")
    with jax.enable_x64(False):
        stage = load_trained(TINY, whole, make_world=drifting)
    assert stage.step == 80
    stage.close()


def check_that_rows_tell_how_every_run_did(rows):
    places = [(row["phase"], row["step"], row["agent"], row["seed"]) for row in rows]
    expected = [("pretraining", step, "apf", seed) for step in (20, 40, 60) for seed in (3, 8)]
    expected += [
        ("finetuning", step, "apf", seed) for step in (0, 20, 40, 60, 80) for seed in (3, 8)
    ]
    assert places == expected
    for row in rows:
        assert ("evaluation_return" in row) == (row["phase"] == "finetuning")
        learned = row["step"] > 20
        assert ("critic_loss" in row) == learned
        assert ("alignment" in row) == (learned and row["phase"] == "pretraining")
    assert len({row["evaluation_return"] for row in rows if "evaluation_return" in row}) == 10


def check_that_values_told_are_of_the_phase(told):
    """None are known from the first steps of a phase, which are without learning."""
    for phase, first in (("pretraining", 0), ("finetuning", 60)):
        known = [each.done for each in told if each.phase == phase and each.values]
        assert min(known) > first + 20


def check_that_a_killed_run_ends_the_same(whole, folder, kill_at):
    for step in kill_at:
        with pytest.raises(KilledError):
            train(TINY, folder, resume=True, options=options(kill_at=step))
        # As if killed in the middle of a line.
        with (folder / ROWS).open("ab") as file:
            file.write(b'{"agent": "ap')
    assert train(TINY, folder, resume=True, options=options())
    assert_same_end(whole, folder)


def check_that_a_run_out_of_time_ends_the_same(whole, folder):
    finished, parts = False, 0
    while not finished:
        finished = train(TINY, folder, resume=True, options=options(seconds=120.0))
        parts += 1
    assert parts > 2
    assert_same_end(whole, folder)


def check_that_checkpoints_wait_for_evaluations(whole, folder):
    """With a checkpoint at every step, and evaluations that take longer than that."""
    slow = {"make_world": partial(drifting, pause=0.01), "save_every": 0.0}
    with pytest.raises(KilledError):
        train(TINY, folder, options=options(kill_at=42, **slow))
    assert train(TINY, folder, resume=True, options=options(**slow))
    assert_same_end(whole, folder)
    with jax.enable_x64(False):
        stage = load_trained(TINY, whole, make_world=slow["make_world"])
        look = stage.look()
        assert not look.done()
        stage.get_state()
        assert look.done()
    stage.close()


def check_that_an_interrupted_run_leaves_no_evaluation_behind(folder):
    """It would hold up whoever evaluates next, and the end of the program."""
    slow = {"make_world": partial(drifting, pause=0.5), "save_every": 1e9}
    with pytest.raises(KilledError):
        train(TINY, folder, options=options(kill_at=32, **slow))
    assert rows_of(folder)[-1]["phase"] == "pretraining"  # so an evaluation was under way
    began = time.monotonic()
    evaluation_episodes.EVALUATING.submit(lambda: None).result()
    assert time.monotonic() - began < 2  # of the 5 seconds that it takes


def assert_same_end(one, other):
    assert (one / ROWS).read_bytes() == (other / ROWS).read_bytes()
    assert not (other / "pretraining.npz").exists()
    first, second = (np.load(folder / "finetuning.npz") for folder in (one, other))
    assert first.files == second.files
    for name in first.files:
        np.testing.assert_array_equal(first[name], second[name])


def check_that_a_finished_run_stays_as_it_is(whole):
    before = (whole / ROWS).read_bytes()
    assert train(TINY, whole, resume=True, options=options(kill_at=0))
    assert (whole / ROWS).read_bytes() == before


def check_that_company_does_not_matter(whole, folder):
    train(replace(TINY, seeds=(8, 1), finetuning_steps=20), folder, options=options())
    alike = {(row["phase"], row["step"]): row for row in rows_of(folder) if row["seed"] == 8}
    for row in rows_of(whole):
        other = alike.get((row["phase"], row["step"]))
        if row["seed"] == 8 and other is not None:
            assert other.keys() == row.keys()
            numbers = {name: value for name, value in row.items() if isinstance(value, float)}
            assert numbers == pytest.approx({name: other[name] for name in numbers}, rel=1e-3)


def check_that_pretraining_is_taken_along(whole, folder):
    """The first evaluation is that of the pre-trained actor, so it moves with pre-training."""
    shorter = replace(TINY, pretraining_steps=40, finetuning_steps=20)
    train(shorter, folder, options=options())
    before, after = (
        {row["seed"]: row["evaluation_return"] for row in rows_of(each) if row["step"] == 0}
        for each in (folder, whole)
    )
    assert before[3] != after[3]
    assert before[8] != after[8]


def test_ddpg_begins_with_the_task():
    config = replace(TINY, agents=("ddpg", "aps"))
    assert config.agents_in("pretraining") == ("aps",)
    assert config.agents_in("finetuning") == ("ddpg", "aps")
    alone = replace(TINY, agents=("ddpg",))
    assert alone.steps_in("pretraining") == 0
    for agent, way in (("ddpg", None), ("aps", finetuning.HAND_OVERS["as_published"])):
        fine = config.phase("finetuning", agent)
        assert (fine.first_steps, fine.way) == (10, way)
    repaired = replace(config, hand_over="repaired").phase("finetuning", "aps")
    assert repaired.way is finetuning.HAND_OVERS["repaired"]


def test_no_two_environments_share_a_seed():
    seeds = [
        environment
        for seed in range(20)
        for purpose in range(6)
        for environment in environment_seeds(seed, purpose, 10)
    ]
    assert len(set(seeds)) == len(seeds)


def test_settings_survive_being_stored():
    for config in (TINY, quick(), RunConfig()):
        assert from_data(json.loads(json.dumps(as_data(config)))) == config
    with pytest.raises(InputError, match="of another version, they differ in breadth, width"):
        from_data({("breadth" if k == "width" else k): v for k, v in as_data(TINY).items()})


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {"agents": ("apg",)},
            "agents must be one of ddpg, aps, apf, apf_exact, apf_printed, got 'apg'",
        ),
        ({"agents": ()}, "agents must be one or more, none twice, got ()"),
        ({"seeds": (1, 1)}, "seeds must be one or more, none twice, got (1, 1)"),
        ({"seeds": (-1,)}, "seeds must be at least 0 and below 2147483648, got -1"),
        (
            {"task": "rewardless"},
            "task must be one of reach_top_left, reach_top_right, reach_bottom_left, "
            "reach_bottom_right, got 'rewardless'",
        ),
        ({"hand_over": "no"}, "hand_over must be one of repaired, as_published, got 'no'"),
        ({"width": 0}, "width must be at least 1, got 0"),
        ({"width": 8.5}, "width must be a whole number, got 8.5"),
        ({"episodes": 1001}, "episodes must be at least 1 and at most 1000, got 1001"),
        (
            {"first_steps": 5},
            "first_steps must be a multiple of the 2 environments, got 5",
        ),
    ],
)
def test_settings_that_cannot_be_run(changes, complaint):
    with pytest.raises(InputError) as caught:
        replace(TINY, **changes)
    assert str(caught.value) == f"RunConfig: {complaint}"


def test_settings_must_suit_every_agent():
    with pytest.raises(InputError, match="bounded is not for apf_printed"):
        replace(TINY, agents=("apf", "apf_printed"), bounded=True)


def error_of(folder, config=TINY, *, resume=True):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError) as caught:
        train(config, folder, resume=resume, options=options())
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    return str(caught.value).replace(str(folder), "FOLDER")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """The folder of a run that was stopped, with a checkpoint, before its first step."""
    folder = tmp_path_factory.mktemp("stopped")
    settings = options(seconds=1.0)
    assert not train(TINY, folder, options=settings)
    row_files.append(folder / ROWS, [{"agent": "apf"}])
    return folder


@pytest.fixture
def copy(stopped, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(stopped, folder)
    return folder


def test_what_is_there_is_not_overwritten(copy):
    assert error_of(copy, resume=False) == (
        "FOLDER: already holds a run: go on with it by --resume, or choose another by --out"
    )


def test_no_two_processes_go_on_with_a_run_at_once(copy):
    with run_folders.alone(copy):
        assert error_of(copy) == (
            "FOLDER: another process is training here: wait for it, or choose another by --out"
        )
    with pytest.raises(KilledError):  # nothing is in the way any more, and one gets to a step
        train(TINY, copy, resume=True, options=options(kill_at=0))


def test_a_run_of_other_settings_is_not_gone_on_with(copy):
    assert error_of(copy, replace(TINY, seeds=(3, 9))) == (
        "FOLDER/rows.jsonl: belongs to another run: its seeds is [3, 8], not [3, 9]"
    )


def test_a_run_of_other_versions_is_not_gone_on_with(copy):
    content = (copy / ROWS).read_bytes()
    (copy / ROWS).write_bytes(with_changes(content, '"jax": "', '"jax": "0.'))
    assert error_of(copy).startswith(
        'FOLDER/rows.jsonl: belongs to another run: its version of jax is "0.'
    )


def test_a_checkpoint_of_another_run_is_not_loaded(copy):
    """Rows say the right thing, the checkpoint beside them does not."""
    path = copy / "pretraining.npz"
    arrays = dict(np.load(path))
    facts = json.loads(str(arrays["facts"]))
    facts["config"]["seeds"] = [3, 9]
    np.savez(path, **arrays | {"facts": np.array(json.dumps(facts))})
    assert error_of(copy).startswith(
        "FOLDER/pretraining.npz: belongs to another run: its config is"
    )


def test_a_cut_off_checkpoint_is_named(copy):
    path = copy / "pretraining.npz"
    path.write_bytes(path.read_bytes()[:-1000])
    assert (
        error_of(copy)
        == "FOLDER/pretraining.npz: is damaged, truncated or not an archive of arrays"
    )


def test_rows_that_do_not_fit_the_checkpoint_are_named(copy):
    path = copy / "pretraining.npz"
    arrays = dict(np.load(path))
    np.savez(path, **arrays | {"['num_rows']": np.array(16)})
    assert error_of(copy) == (
        "FOLDER/rows.jsonl: holds 1 rows, but the checkpoint beside it came after 16"
    )
    (copy / ROWS).write_text("nothing\n")
    assert error_of(copy) == "FOLDER/rows.jsonl: is damaged or holds no rows of jaco_reaching"
    (copy / ROWS).unlink()
    assert error_of(copy) == "FOLDER/pretraining.npz: is a checkpoint without its rows.jsonl"
