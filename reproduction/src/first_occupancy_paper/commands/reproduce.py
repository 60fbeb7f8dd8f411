"""`first-occupancy reproduce` and `list`: run the missing jobs, then write the ledger."""

import argparse
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments import Experiment, Row
from first_occupancy_paper.experiments.registry import EXPERIMENTS, experiment
from first_occupancy_paper.ledger import ledger
from first_occupancy_paper.rows.folders import prepare_folder
from first_occupancy_paper.sweeps.jobs import Job, jobs_of
from first_occupancy_paper.sweeps.runner import JobFailedError, here, unfinished
from first_occupancy_paper.sweeps.store import DamagedError, Store

from .progress import failed, finished_jobs, report

DONE = "done"
QUICK = "up to ten minutes on two cores"
"""How long `--quick` took when nothing was stored, on two cores that had other work too."""


def run(options: argparse.Namespace) -> int:
    """Run the missing jobs of the named experiments (default: all), and write the ledger.

    Returns 1 if some jobs failed; the others are stored, but no ledger is written.
    """
    if options.jobs is not None and options.jobs < 1:
        raise InputError(f"--jobs must be at least 1, got {options.jobs}")
    chosen = [experiment(name) for name in dict.fromkeys(options.names)] or list(EXPERIMENTS)
    console = Console(stderr=True)
    store = _store(options)
    jobs = [job for each in chosen for job in _jobs(each, options)]
    folder = store.folder.parent  # of the page
    prepare_folder(folder)
    waiting = unfinished(jobs, store, partial(report, console))
    print(f"{len(jobs) - len(waiting)} of {len(jobs)} jobs are stored, {len(waiting)} to run")
    if options.quick and waiting:
        print(f"with --quick all experiments take {QUICK} if nothing is stored")
    begin, running = time.monotonic(), {job.experiment.name for job in waiting}
    try:
        if waiting:
            _run(waiting, store, console, options)
    except JobFailedError as failure:
        return failed("reproduce", failure)

    # The page shows every finished experiment, not only those chosen this time.
    finished = [each for each in EXPERIMENTS if _state(each, store, options) == DONE]
    parts = [_part(each, folder, options, is_chosen=each in chosen) for each in finished]
    page = ledger.write(folder, parts, quick=options.quick)
    findings = {part.experiment.name: part.findings for part in parts}
    for each in chosen:
        name = each.name if each.name in running else f"{each.name} (stored)"
        for finding in findings[each.name]:
            print(f"  {finding.verdict:<27}  {name}: {finding.claim}")
    if any(each.name not in running for each in chosen):
        print("(stored): nothing was run, the rows were stored before or are kept with the project")
    if options.quick:
        print("made with --quick: small runs give a first impression, verdicts need the full size")
    if waiting:
        print(f"took {(time.monotonic() - begin) / 60:.1f} min")
    print(f"figures: {folder / 'figures'}\nledger:  {page}")
    return 0


def _part(
    each: Experiment, folder: Path, options: argparse.Namespace, *, is_chosen: bool
) -> ledger.Part:
    rows = _rows(each, options)
    # Figures from kept rows take a while, so they are drawn only if somebody asks for them.
    figures = ledger.draw if each.kept is None or is_chosen else ledger.drawn
    return ledger.Part(each, each.findings(rows), figures(each, rows, folder, quick=options.quick))


def show_list(options: argparse.Namespace) -> int:
    """Print every experiment: its name, how many of its jobs are stored, and its question."""
    store = _store(options)
    table = Table(box=None, pad_edge=False)
    for column in ("name", "state"):
        table.add_column(column, no_wrap=True)
    for column in ("question", "paper"):
        table.add_column(column, overflow="fold")
    for each in EXPERIMENTS:
        state = _state(each, store, options)
        if each.kept is not None:
            state = f"{len(rows)} rows kept" if (rows := each.kept()) else "not run yet"
        table.add_row(each.name, state, each.question, each.paper)
    Console(file=sys.stdout).print(table)
    return 0


def _store(options: argparse.Namespace) -> Store:
    """Return the store; quick runs have a folder of their own and never replace full ones."""
    folder = Path(options.out) / "quick" if options.quick else Path(options.out)
    return Store(folder / "results")


def _rows(each: Experiment, options: argparse.Namespace) -> list[Row]:
    if each.kept is not None:
        return list(each.kept())
    store = _store(options)
    return [row for job in _jobs(each, options) for row in store.read(job)]


def _jobs(each: Experiment, options: argparse.Namespace) -> list[Job]:
    return list(jobs_of(each, quick=options.quick, seed=options.seed))


def _state(each: Experiment, store: Store, options: argparse.Namespace) -> str:
    """Return how many of an experiment's jobs are stored, or `DONE`, and how many are damaged."""
    jobs, finished, damaged = _jobs(each, options), 0, 0
    for job in jobs:
        try:
            finished += store.is_finished(job)
        except DamagedError:
            damaged += 1
    state = DONE if finished == len(jobs) else f"{finished} of {len(jobs)}"
    return state + (f", {damaged} damaged" if damaged else "")


def _run(waiting: list[Job], store: Store, console: Console, options: argparse.Namespace) -> None:
    left = Counter(job.experiment.name for job in waiting)
    for job in finished_jobs(waiting, store, here(options.jobs, len(waiting)), console):
        left[job.experiment.name] -= 1
        if not left[job.experiment.name]:
            # Draw the figures now, while other experiments are still running.
            rows = _rows(job.experiment, options)
            ledger.draw(job.experiment, rows, store.folder.parent, quick=options.quick)
