"""`first-occupancy run` on the arm itself, at the smallest size there is."""

import errno
import importlib
import os
import sys
from dataclasses import replace

import pytest

from first_occupancy.cli.main import main
from first_occupancy_paper.arm.runs import row_files
from first_occupancy_paper.arm.runs.run_config import RunConfig
from first_occupancy_paper.arm.runs.run_folders import PRETRAINED, ROWS
from first_occupancy_paper.arm.runs.stage import Stage
from first_occupancy_paper.commands import run
from first_occupancy_paper.extras import extra_command

has_simulator = pytest.mark.skipif(
    importlib.util.find_spec("mujoco") is None, reason="the extra 'robotics' is not installed"
)
TINY = [
    *("run", "jaco_reaching", "--agents", "ddpg", "--seeds", "1"),
    *("--steps", "40", "--first-steps", "20", "--evaluate-every", "20", "--episodes", "1"),
    *("--width", "8", "--batch", "16"),
]


def command(out, *more):
    return main([*TINY, "--out", str(out), *more])


@pytest.mark.whole
@has_simulator
def test_runs_on_the_arm(tmp_path, monkeypatch, capsys):
    """One run that goes through, and one that dies and goes on: their ends are the same."""
    assert command(tmp_path / "whole") == 0
    whole = tmp_path / "whole" / "runs" / "jaco_reaching"
    assert len((whole / "rows.jsonl").read_text().splitlines()) == 4
    assert (whole / "finetuning.npz").exists()
    assert (whole / "reaching.png").read_bytes().startswith(b"\x89PNG")
    assert f"figure: {whole / 'reaching.png'}" in capsys.readouterr().out
    assert command(tmp_path / "whole") == 2
    assert capsys.readouterr().err.endswith(
        f"first-occupancy run: {whole}: already holds a run: go on with it by --resume, "
        "or choose another by --out\n"
    )
    die_at_step(13, tmp_path / "killed", monkeypatch)
    # The settings are those of the run, unless others are given.
    again = ["run", "jaco_reaching", "--out", str(tmp_path / "killed"), "--resume"]
    assert main([*again, "--seeds", "2"]) == 2
    assert "belongs to another run: its seeds is [0], not [0, 1]" in capsys.readouterr().err
    assert main([*again, "--no-figure"]) == 0
    killed = tmp_path / "killed" / "runs" / "jaco_reaching"
    assert (killed / "rows.jsonl").read_bytes() == (whole / "rows.jsonl").read_bytes()
    assert not (killed / "reaching.png").exists()


def die_at_step(step, out, monkeypatch):
    advance, count = Stage.advance, iter(range(100))

    def dying(stage):
        if next(count) == step:
            raise MemoryError
        advance(stage)

    with monkeypatch.context() as changed:
        changed.setattr(Stage, "advance", dying)
        with pytest.raises(MemoryError):
            command(out, "--save-every", "0.001", "--no-figure")


@has_simulator
def test_a_full_disk_is_one_line(tmp_path, monkeypatch, capsys):
    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert command(tmp_path) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("first-occupancy run: ")
    assert line.endswith("rows.jsonl: No space left on device")
    assert list((tmp_path / "runs" / "jaco_reaching").iterdir()) == []


@has_simulator
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path, capsys):
    (tmp_path / "runs").write_text("in the way")
    assert command(tmp_path) == 2
    assert capsys.readouterr().err.endswith("runs/jaco_reaching: Not a directory\n")


def test_without_mujoco_one_is_told_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mujoco.batch", None)
    assert command(tmp_path) == 2
    assert capsys.readouterr().err == (
        f"first-occupancy run: JacoBatch: needs MuJoCo 3.17 or later: {extra_command('robotics')}\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--task", "reach_middle"], "task must be one of reach_top_left, "),
        (["--agents", "dqn"], "agents must be one of ddpg, aps, apf, apf_exact, apf_printed, got"),
        (["--seeds", "many"], "--seeds must be a number of at least 1, or FIRST-LAST, got 'many'"),
        (["--seeds", "0"], "--seeds must be a number of at least 1, or FIRST-LAST, got '0'"),
        (["--seeds", "9" * 20], "--seeds must be at most 100,000 seeds, none above 922337203685"),
        (
            ["--seeds", f"{2**63}-{2**63}"],
            "none above 9223372036854775807, got '9223372036854775808-",
        ),
        (["--minutes", "0"], "--minutes must be above 0, got 0"),
        (["--pretrained", "lost"], "lost: must be the folder of a pre-trained run, but is none"),
        (["--finetuning-steps", "-2"], "finetuning_steps must be at least 0, got -2"),
        (["--finetuning-steps", "0"], "finetuning_steps must be at least 1 for ddpg, which has no"),
        (
            ["--evaluate-every", "60"],
            "--evaluate-every must be at most the 40 steps of fine-tuning, else they are never "
            "evaluated, got 60",
        ),
    ],
)
@pytest.mark.usefixtures("as_users_run_it")
def test_bad_options_are_one_line(tmp_path, capsys, options, complaint):
    assert command(tmp_path, *options) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_what_pretraining_depends_on_comes_from_its_folder(tmp_path, monkeypatch, capsys):
    """All else is as given, or as ever; the folder may be given by its --out."""
    source = RunConfig(agents=("aps",), seeds=(4, 5), width=8, task="reach_top_right", episodes=3)
    folder = tmp_path / "before" / "runs" / "jaco_reaching"
    folder.mkdir(parents=True)
    row_files.create(folder / ROWS, source)
    (folder / PRETRAINED).touch()
    asked = []

    def note(config, folder, *, pretrained, resume, options):
        del folder, resume, options
        asked.append((config, pretrained))
        return False

    monkeypatch.setattr(run, "train", note)
    begin = ["run", "jaco_reaching", "--no-figure", "--out", str(tmp_path), "--pretrained"]
    assert main([*begin, str(tmp_path / "before"), "--hand-over", "repaired"]) == 0
    expected = replace(source, task="reach_top_left", hand_over="repaired", episodes=10)
    assert asked.pop() == (expected, folder)
    assert main([*begin, str(folder), "--quick", "--seeds", "5-5", "--width", "16"]) == 0
    expected = replace(
        source,
        seeds=(5,),
        task="reach_top_left",
        width=16,
        episodes=4,
        finetuning_steps=12_000,
        evaluate_every=2_000,
    )
    assert asked.pop() == (expected, folder)
    assert main([*begin, str(folder), "--steps", "30000"]) == 0
    config, _ = asked.pop()
    assert (config.pretraining_steps, config.finetuning_steps) == (1_000_000, 30_000)
    capsys.readouterr()
    assert main([*begin, str(folder), "--resume"]) == 0
    new = tmp_path / "runs" / "jaco_reaching"
    assert capsys.readouterr().err == f"{new}: no run to resume, starting a new one\n"


def test_an_unknown_name_lists_the_known_ones(capsys):
    assert main(["run", "shorter_paths"]) == 2
    assert capsys.readouterr().err == (
        "first-occupancy run: NAME must be one of jaco_reaching ('reproduce' and 'sweep' run the "
        "other experiments), got 'shorter_paths'\n"
    )
