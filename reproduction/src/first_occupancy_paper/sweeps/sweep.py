"""A sweep: one experiment over configs and seeds, with its rows in one file."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from operator import index
from pathlib import Path
from typing import Any, SupportsIndex

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import whole_file
from first_occupancy_paper.experiments import Experiment, Row
from first_occupancy_paper.rows.folders import prepare_folder

from .grid import check_can_run
from .jobs import Job
from .runner import here, run_jobs, unfinished
from .store import Store
from .workers import Workers


def sweep(
    experiment: Experiment,
    configs: Iterable[Any],
    seeds: Iterable[SupportsIndex],
    *,
    out: Path | str = "output",
    workers: Workers | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> list[Row]:
    """Return the rows of an experiment for every config and seed, each with both.

    Jobs whose rows are stored in `out` are not run again, so a sweep that was stopped continues
    where it was.

    Args:
        experiment: the experiment to run.
        configs: its settings, one dataclass each; `grid` makes them.
        seeds: whole numbers; each config runs with each seed.
        out: folder for the results; rows are stored below its subfolder `results`.
        workers: workers to run the jobs; None uses one process per core, `RayWorkers` a cluster.
        report: called with a message about each damaged file and each worker that died.
    """
    jobs = jobs_over(experiment, configs, seeds)
    store = Store(Path(out) / "results")
    waiting = unfinished(jobs, store, report)
    workers = here(None, len(waiting)) if workers is None else workers
    for _ in run_jobs(waiting, store, workers, report=report):
        pass
    return list(rows_of(jobs, store))


def jobs_over(
    experiment: Experiment, configs: Iterable[Any], seeds: Iterable[SupportsIndex]
) -> list[Job]:
    """Return the jobs of a sweep: config by config, since seeds share compiled programs.

    Args:
        experiment: the experiment to run.
        configs: its settings, one dataclass each; duplicates are dropped.
        seeds: whole numbers; duplicates are dropped.

    Raises:
        InputError: there is no config or no seed, a config is not a dataclass, a seed is not a
            whole number, or the experiment takes too long for a sweep.
    """
    check_can_run(experiment)
    numbers = list(dict.fromkeys(map(_seed, _listed("seeds", seeds))))
    jobs = [
        Job(experiment, config, seed) for config in _listed("configs", configs) for seed in numbers
    ]
    if not jobs:
        raise InputError("sweep: needs at least one config and one seed, got none")
    for job in jobs[:: len(numbers)]:
        if not is_dataclass(job.config) or isinstance(job.config, type):
            raise InputError(
                f"sweep: configs must be dataclasses, as `grid` makes them, got {job.config!r}"
            )
    return list({job.name: job for job in jobs}.values())


def _listed(what: str, values: Iterable[Any]) -> list[Any]:
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise InputError(f"sweep: {what} must be a list or another iterable, got {values!r}")
    return list(values)


def _seed(seed: Any) -> int:
    try:
        return index(seed)  # JSON cannot hold integers of NumPy
    except TypeError:
        raise InputError(f"sweep: seeds must be whole numbers, got {seed!r}") from None


def rows_of(jobs: Sequence[Job], store: Store) -> Iterator[Row]:
    """Yield the stored rows of a sweep, each with its config and seed.

    Args:
        jobs: finished jobs.
        store: the results store.
    """
    for job in jobs:
        for row in store.read(job):
            yield {"config": job.settings, "seed": job.seed, "row": row}


def write_rows(jobs: Sequence[Job], store: Store, folder: Path) -> Path:
    """Write the rows of a sweep to one file, a JSON object per line.

    Args:
        jobs: finished jobs of one experiment, at least one.
        store: the results store.
        folder: folder of the file; it is created if needed.

    Returns:
        Path of the file; its name is determined by the jobs.
    """
    names = json.dumps([job.name for job in jobs])
    name = f"{jobs[0].experiment.name}-{hashlib.sha256(names.encode()).hexdigest()[:8]}.jsonl"
    prepare_folder(folder)
    with whole_file(folder / name) as file:
        for row in rows_of(jobs, store):
            file.write((json.dumps(row, sort_keys=True) + "\n").encode())
    return folder / name
