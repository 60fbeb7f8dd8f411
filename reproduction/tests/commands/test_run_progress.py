"""What a long run prints."""

from first_occupancy_paper.arm.runs.pace import RunProgress
from first_occupancy_paper.commands import run_progress

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


def test_progress_says_returns_rates_and_the_time_left(capsys):
    show = run_progress.lines()
    show(PROGRESS)
    show(PROGRESS)
    assert capsys.readouterr().err == (
        "finetuning, return apf 12.3, value apf 36.06 aps inf, 1,234 steps/s, 62 updates/s, "
        "1,500 of 2,000 steps, 2 min left\n"
    )
