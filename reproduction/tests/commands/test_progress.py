"""Progress of many jobs, as lines and beside a bar."""

import io

from rich.console import Console

from first_occupancy_paper.commands import progress


def test_reports_are_printed_as_they_are():
    console = Console(file=io.StringIO(), width=10)
    progress.report(console, "runs/[bold]7: is damaged")
    assert console.file.getvalue() == "runs/[bold]7: is damaged\n"


def test_where_there_is_no_terminal_lines_say_how_many_jobs_are_done(capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINE_EVERY", 0)
    with progress.job_progress(Console(file=io.StringIO()), 2) as advance:
        advance("claims")
        advance("escape")
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("claims: 1 of 2 jobs, ")
    assert second == "escape: 2 of 2 jobs, 0 s left"
