"""What a long run prints, and what goes to the board."""

from first_occupancy_paper.arm.runs.pace import RunProgress
from first_occupancy_paper.commands import run_progress

PROGRESS = RunProgress(
    "finetuning",
    done=1500,
    total=2000,
    steps_per_second=1234.5,
    updates_per_second=61.7,
    seconds_left=90.0,
    returns={"apf": 12.34, "aps": None},
    values={"apf": 36.061, "aps": float("inf")},
)


def test_progress_says_returns_rates_and_the_time_left(capsys):
    lines = run_progress.Lines()
    lines.on_progress(PROGRESS)
    lines.on_progress(PROGRESS)
    assert capsys.readouterr().err == (
        "finetuning, return apf 12.3, value apf 36.06 aps inf, 1,234 steps/s, 62 updates/s, "
        "1,500 of 2,000 steps, 2 min left\n"
    )


def test_rows_go_to_the_board():
    written = []

    class Board:
        def add_scalar(self, name, value, step):
            written.append((name, value, step))

    row = {"agent": "apf", "seed": 3, "phase": "finetuning", "step": 10, "critic_loss": 0.5}
    run_progress.Watcher(run_progress.Lines(), Board()).on_rows([row | {"value": None}])
    assert written == [("finetuning/apf-3/critic_loss", 0.5, 10)]
