"""`first-occupancy sweep`: what it prints, and how it fails."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from first_occupancy.cli.main import main
from first_occupancy_paper.extras import extra_command

TRIALS = ["sweep", "--from", "short_trials", "--set", "kind=sums"]


def stored(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / "results").rglob("*") if path.is_file()}


def test_it_says_what_it_ran_and_where_the_rows_are(capsys, tmp_path):
    command = [*TRIALS, "size=1,2", "--seeds", "4-6", "--jobs", "1", "--out", str(tmp_path)]
    assert main(command) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("0 of 6 jobs are stored, 6 to run\nrows: ")
    assert captured.err == "short_trials: 6 of 6 jobs, 0 s left\n"
    rows, table, plot = (Path(line.split(": ")[1]) for line in captured.out.splitlines()[1:4])
    assert table.read_text().splitlines()[0].startswith("size,seeds,")
    assert plot.read_bytes()[:4] == b"\x89PNG"
    assert captured.out.splitlines()[5].startswith("size  seeds")
    lines = [json.loads(line) for line in rows.read_text().splitlines()]
    assert [(line["config"]["size"], line["seed"]) for line in lines][:3] == [
        (1, 4),
        (1, 5),
        (1, 6),
    ]
    before = rows.read_bytes()
    assert main(command) == 0
    assert capsys.readouterr().out.startswith("6 of 6 jobs are stored, 0 to run\n")
    assert rows.read_bytes() == before


def test_fields_are_shown(capsys):
    assert main(["sweep", "escape", "--fields"]) == 0
    assert "episode_steps   a whole number" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sweep"], "needs NAME or --from MODULE; 'first-occupancy list' shows the names"),
        (
            ["sweep", "--from", "no.such"],
            "--from must be a module that can be imported, got 'no.such': Modul",
        ),
        (["sweep", "--from", ".trials"], "that can be imported, got '.trials': TypeError: the"),
        (["sweep", "--from", "json"], "NAME must be an experiment in json (none), got None"),
        (
            [*TRIALS, "--seeds", "x"],
            "--seeds must be a number of at least 1, or FIRST-LAST, got 'x'",
        ),
        (
            [*TRIALS, "--seeds", "0"],
            "--seeds must be a number of at least 1, or FIRST-LAST, got '0'",
        ),
        (
            [*TRIALS, "--seeds", "20240115"],
            "got '20240115'; for a single seed write FIRST-LAST, as in 7-7",
        ),
        ([*TRIALS, "--jobs", "0"], "--jobs must be at least 1, got 0"),
        ([*TRIALS, "--on", "moon"], "--on must be one of local, ray, got 'moon'"),
        ([*TRIALS, "--address", "a:1"], "--address needs --on ray, got --on local"),
        (["sweep", "jaco_reaching"], "to train again: first-occupancy run jaco_reaching"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(capsys, arguments, message):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("first-occupancy sweep: ")
    assert message in error
    assert error.count("\n") == 1


def test_without_ray_it_names_the_extra(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main([*TRIALS, "--on", "ray", "--out", str(tmp_path / "output")]) == 2
    assert capsys.readouterr().err.endswith(f"{extra_command('cluster')}\n")


def test_failed_jobs_are_told_with_their_trace_and_the_others_kept(capsys, tmp_path):
    command = ["sweep", "--from", "short_trials", "--set", "kind=broken", "--jobs", "1"]
    assert main([*command, "--seeds", "3", "--out", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "Traceback" in error
    assert "seed 1: RuntimeError: broke at 1; all others are stored" in error.splitlines()[-1]
    assert len(stored(tmp_path)) == 2


def test_what_a_job_refuses_is_said_in_one_line(capsys, tmp_path):
    command = [*TRIALS, "share=-1", "--jobs", "1", "--out", str(tmp_path)]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert error.startswith("first-occupancy sweep: short_trials with is_odd=False, kind='sums', ")
    assert error.endswith("seed 0: short_trials: share must not be negative, got -1.0\n")
    assert error.count("\n") == 1


def test_a_full_disk_is_named_and_the_store_stays_whole(capsys, tmp_path, monkeypatch):
    command = [*TRIALS, "--jobs", "1", "--out", str(tmp_path), "--seeds"]
    assert main([*command, "5"]) == 0
    before = stored(tmp_path)
    moved, move = [], os.replace

    def full(source: str, target: str) -> None:
        if str(target).endswith(".jsonl"):
            moved.append(target)
        if len(moved) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        move(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        assert main([*command, "40"]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(f"first-occupancy sweep: {tmp_path / 'results' / 'short_trials'}/")
    assert error.endswith(".jsonl: No space left on device")
    after = stored(tmp_path)
    assert before.items() <= after.items()
    assert len(after) == 5 + 3
    assert all(name.endswith(".jsonl") for name in after)
    assert main([*command, "40"]) == 0
    assert after.items() <= stored(tmp_path).items()
    assert len(stored(tmp_path)) == 40


def test_a_file_that_may_not_grow_is_named_and_nothing_is_left_of_it(tmp_path):
    """The real thing: the system itself refuses the bytes."""
    script = (
        "import resource, sys\n"
        "from first_occupancy.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    options = [*TRIALS, "size=2000", "--jobs", "1", "--out", str(tmp_path)]
    path = os.pathsep.join(sys.path)
    sweeping = subprocess.run(
        [sys.executable, "-c", script, *options],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert sweeping.returncode == 2
    assert sweeping.stderr.endswith("-0.jsonl: File too large\n")
    assert sweeping.stderr.count("\n") == 1
    assert stored(tmp_path) == {}


def test_a_folder_that_cannot_be_written_to_is_named(capsys, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    out = tmp_path / "file" / "output"
    assert main([*TRIALS, "--jobs", "1", "--out", str(out)]) == 2
    assert capsys.readouterr().err.endswith("Not a directory\n")

    def refused(path: Path, mode: str = "r", **options: object):
        if "w" in mode:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return open(path, mode, **options)

    monkeypatch.setattr(Path, "open", refused)
    assert main([*TRIALS, "--jobs", "1", "--out", str(tmp_path / "output")]) == 2
    assert capsys.readouterr().err.endswith("output/results/short_trials: Permission denied\n")
    assert stored(tmp_path) == {}
