"""What jobs and long runs print."""

import io

from rich.console import Console

from first_occupancy_paper.arm.runs.pace import RunProgress
from first_occupancy_paper.commands import progress
from first_occupancy_paper.sweeps.jobs import Job
from first_occupancy_paper.sweeps.store import Store
from first_occupancy_paper.sweeps.workers import Here
from toy_experiment import TOY, Config

PROGRESS = RunProgress(
    "finetuning",
    done=1500,
    total=2000,
    steps_per_second=1234.5,
    updates_per_second=61.7,
    seconds_left=90.0,
    returns={"apf": 12.34},
    values={"apf": 36.061, "aps": float("inf")},
)
ELSEWHERE = Console(file=io.StringIO())
"""No terminal."""


def test_reports_are_printed_as_they_are():
    console = Console(file=io.StringIO(), width=10)
    progress.report(console, "runs/[bold]7: is damaged")
    assert console.file.getvalue() == "runs/[bold]7: is damaged\n"


def test_where_there_is_no_terminal_lines_say_how_many_jobs_are_done(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(progress, "JOBS_EVERY", 0.0)
    jobs = [Job(TOY, Config(), seed) for seed in range(2)]
    assert [*progress.finished_jobs(jobs, Store(tmp_path), Here(), ELSEWHERE)] == jobs
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("toy: 1 of 2 jobs, ")
    assert second == "toy: 2 of 2 jobs, 0 s left"


def test_a_run_says_returns_rates_and_the_time_left(capsys):
    with progress.training_progress(ELSEWHERE) as show:
        show(PROGRESS)
        show(PROGRESS)
    assert capsys.readouterr().err == (
        "finetuning, return apf 12.3, value apf 36.06 aps inf, 1,234 steps/s, 62 updates/s, "
        "1,500 of 2,000 steps, 2 min left\n"
    )


def test_in_a_terminal_a_bar_says_how_many_are_done():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with progress.training_progress(console) as show:
        show(PROGRESS)
    drawn = console.file.getvalue()
    assert "finetuning, return apf 12.3" in drawn
    assert "1500/2000" in drawn
