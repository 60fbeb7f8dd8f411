"""Progress of many jobs, as lines and beside a bar."""

import io

from rich.console import Console

from first_occupancy_paper.commands.progress import report


def test_reports_are_printed_as_they_are():
    console = Console(file=io.StringIO(), width=10)
    report(console, "runs/[bold]7: is damaged")
    assert console.file.getvalue() == "runs/[bold]7: is damaged\n"
