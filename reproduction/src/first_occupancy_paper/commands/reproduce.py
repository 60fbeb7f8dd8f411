"""`first-occupancy reproduce` and `list`: run the missing jobs, then write the ledger."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
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
from first_occupancy_paper.sweeps.runner import JobFailedError, here, run_jobs, unfinished
from first_occupancy_paper.sweeps.store import DamagedError, Store

from .progress import failed, job_progress, report

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
    prepare_folder(store.folder.parent)  # of the page
    waiting = unfinished(jobs, store, partial(report, console))
    print(f"{len(jobs) - len(waiting)} of {len(jobs)} jobs are stored, {len(waiting)} to run")
    if options.quick and waiting:
        print(f"with --quick all experiments take {QUICK} if nothing is stored")
    begin, running = time.monotonic(), {job.experiment.name for job in waiting}
    try:
        _run_with_progress(waiting, store, console, options)
    except JobFailedError as failure:
        return failed("reproduce", failure)

    # The page shows every finished experiment, not only those chosen this time.
    finished = [each for each in EXPERIMENTS if _is_finished(_jobs(each, options), store)]
    rows = {each.name: _rows(each, options) for each in finished}
    findings = {each.name: each.findings(rows[each.name]) for each in finished}
    # Figures from kept rows take a while, so they are drawn only if somebody asks for them.
    undrawn = {each.name for each in finished if each.kept is not None and each not in chosen}
    shown = (finished, rows, findings)
    page = ledger.write(store.folder.parent, *shown, quick=options.quick, undrawn=undrawn)
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
    print(f"figures: {page.parent / 'figures'}\nledger:  {page}")
    return 0


def show_list(options: argparse.Namespace) -> int:
    """Print every experiment: its name, how many of its jobs are stored, and its question."""
    store = _store(options)
    table = Table(box=None, pad_edge=False)
    for column in ("name", "state"):
        table.add_column(column, no_wrap=True)
    for column in ("question", "paper"):
        table.add_column(column, overflow="fold")
    for each in EXPERIMENTS:
        jobs = _jobs(each, options)
        state = _state(jobs, store) if each.kept is None else _kept_state(each.kept())
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


def _is_finished(jobs: list[Job], store: Store) -> bool:
    try:
        return all(store.is_finished(job) for job in jobs)
    except DamagedError:
        return False


def _jobs(each: Experiment, options: argparse.Namespace) -> list[Job]:
    return list(jobs_of(each, quick=options.quick, seed=options.seed))


def _state(jobs: list[Job], store: Store) -> str:
    finished, damaged = 0, 0
    for job in jobs:
        try:
            finished += store.is_finished(job)
        except DamagedError:
            damaged += 1
    state = "done" if finished == len(jobs) else f"{finished} of {len(jobs)}"
    return state + (f", {damaged} damaged" if damaged else "")


def _kept_state(rows: Sequence[Row]) -> str:
    return f"{len(rows)} rows kept" if rows else "not run yet"


def _run_with_progress(
    waiting: list[Job], store: Store, console: Console, options: argparse.Namespace
) -> None:
    if not waiting:
        return
    left = Counter(job.experiment.name for job in waiting)
    workers = here(options.jobs, len(waiting))
    with job_progress(console, len(waiting)) as advance:
        for job in run_jobs(waiting, store, workers, report=partial(report, console)):
            name = job.experiment.name
            advance(name)
            left[name] -= 1
            if not left[name]:
                # Draw the figures now, while other experiments are still running.
                rows = _rows(job.experiment, options)
                ledger.draw(job.experiment, rows, store.folder.parent, quick=options.quick)
