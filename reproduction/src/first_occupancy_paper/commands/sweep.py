"""`first-occupancy sweep`: run an experiment over a grid of settings and seeds."""

import argparse
import importlib
import os
import sys
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.registry import experiment
from first_occupancy_paper.sweeps.grid import describe_fields, grid, read_values
from first_occupancy_paper.sweeps.jobs import Job
from first_occupancy_paper.sweeps.ray_workers import RayWorkers
from first_occupancy_paper.sweeps.runner import (
    JobFailedError,
    JobRefusedError,
    here,
    unfinished,
)
from first_occupancy_paper.sweeps.store import Store
from first_occupancy_paper.sweeps.sweep import jobs_over, rows_of, write_rows
from first_occupancy_paper.sweeps.sweep_tables import (
    check_parquet,
    summarise,
    write_rows_as_parquet,
)
from first_occupancy_paper.sweeps.workers import Workers

from .progress import failed, finished_jobs, report
from .seeds import read_seeds

LOCAL, RAY = PLACES = ("local", "ray")


def run(options: argparse.Namespace) -> int:
    """Run the jobs that are not stored yet, and print where the rows are.

    Returns 1 if some jobs failed. If the experiment rejects a config, the error is raised and
    `main` returns 2.
    """
    chosen = _experiment(options)
    if options.fields:
        return _show_fields(chosen)
    _check(options)
    values = read_values(chosen, options.set or [])
    jobs = jobs_over(chosen, grid(chosen, **values), read_seeds(options.seeds))
    store = Store(Path(options.out) / "results")
    console = Console(stderr=True)
    waiting = unfinished(jobs, store, partial(report, console))
    print(f"{len(jobs) - len(waiting)} of {len(jobs)} jobs are stored, {len(waiting)} to run")
    try:
        if waiting:
            for _ in finished_jobs(waiting, store, _workers(options, len(waiting)), console):
                pass
    except JobRefusedError:
        raise
    except JobFailedError as failure:
        return failed("sweep", failure)
    _write_table(jobs, store, options)
    return 0


def _write_table(jobs: list[Job], store: Store, options: argparse.Namespace) -> None:
    """Write rows, table and plot of a sweep, and print the table."""
    from first_occupancy.plotting.figure_files import save

    rows = write_rows(jobs, store, Path(options.out) / "sweeps")
    table = summarise(rows_of(jobs, store), by=options.by or ())
    files = {"rows": rows, "table": rows.with_suffix(".csv"), "plot": rows.with_suffix(".png")}
    table.write_csv(files["table"])
    save(table.figure(), files["plot"])
    if options.parquet:
        table.write_parquet(rows.with_suffix(".parquet"))
        write_rows_as_parquet(rows_of(jobs, store), rows.with_suffix(".rows.parquet"))
        files["as Parquet"] = rows.with_suffix(".parquet")
    for what, path in files.items():
        print(f"{what}: {path}")
    print(f"\n{table!r}")


def _check(options: argparse.Namespace) -> None:
    if options.jobs is not None and options.jobs < 1:
        raise InputError(f"--jobs must be at least 1, got {options.jobs}")
    if options.on not in PLACES:
        raise InputError(f"--on must be one of {', '.join(PLACES)}, got {options.on!r}")
    if options.address is not None and options.on != RAY:
        raise InputError(f"--address needs --on ray, got --on {options.on}")
    if options.parquet:
        check_parquet("--parquet")


def _experiment(options: argparse.Namespace) -> Experiment:
    """Return the named experiment, from the registry or from the user's module."""
    if options.module is None:
        if options.name is None:
            raise InputError("needs NAME or --from MODULE; 'first-occupancy list' shows the names")
        return experiment(options.name)
    if os.getcwd() not in sys.path:  # like `python -m`
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(options.module)
    except Exception as error:  # a user's module may raise anything
        raise InputError(
            f"--from must be a module that can be imported, got {options.module!r}: "
            f"{type(error).__name__}: {error}"
        ) from None
    found = {each.name: each for each in vars(module).values() if isinstance(each, Experiment)}
    if options.name is None and len(found) == 1:
        return next(iter(found.values()))
    if options.name in found:
        return found[options.name]
    names = ", ".join(found) or "none"
    raise InputError(
        f"NAME must be an experiment in {options.module} ({names}), got {options.name!r}"
    )


def _workers(options: argparse.Namespace, num_jobs: int) -> Workers:
    if options.on == RAY:
        return RayWorkers(options.address, number=options.jobs)
    return here(options.jobs, num_jobs)


def _show_fields(chosen: Experiment) -> int:
    table = Table(box=None, pad_edge=False)
    for column in ("field", "accepts", "default", "values in its own runs"):
        table.add_column(column, overflow="fold")
    for described in describe_fields(chosen):
        table.add_row(*described)
    Console(file=sys.stdout).print(table)
    return 0
