"""A sweep: one experiment over configs and seeds, and its rows in one file."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy.core.files import whole_file
from first_occupancy.experiments import Experiment, Row
from first_occupancy.sweeps.grid import check_can_run
from first_occupancy.sweeps.jobs import Job
from first_occupancy.sweeps.runner import here, run_jobs, unfinished
from first_occupancy.sweeps.store import Store
from first_occupancy.sweeps.workers import Workers


def sweep(
    experiment: Experiment,
    configs: Iterable[Any],
    seeds: Iterable[int],
    *,
    out: Path | str = "output",
    workers: Workers | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> list[Row]:
    """Return the rows of an experiment for every config and seed, each with both.

    What is stored below `out` is not run again, and what is run is stored there, so a sweep
    that was stopped goes on where it was. `workers` are one process per core if none are given;
    `RayWorkers` run it on a cluster. `grid` makes configs.
    """
    jobs = jobs_over(experiment, configs, seeds)
    store = Store(Path(out) / "results")
    waiting = unfinished(jobs, store, report)
    workers = here(None, len(waiting)) if workers is None else workers
    for _ in run_jobs(waiting, store, workers, report=report):
        pass
    return list(rows_of(jobs, store))


def jobs_over(experiment: Experiment, configs: Iterable[Any], seeds: Iterable[int]) -> list[Job]:
    """Return the jobs of a sweep: config by config, since seeds share compiled programs."""
    check_can_run(experiment)
    seeds = list(dict.fromkeys(seeds))
    jobs = [Job(experiment, config, seed) for config in configs for seed in seeds]
    if not jobs:
        raise InputError("sweep: needs at least one config and one seed, got none")
    return list({job.name: job for job in jobs}.values())


def rows_of(jobs: Sequence[Job], store: Store) -> Iterator[Row]:
    """Yield the stored rows of a sweep with the config and the seed they come from."""
    for job in jobs:
        for row in store.read(job):
            yield {"config": job.settings, "seed": job.seed, "row": row}


def write_rows(jobs: Sequence[Job], store: Store, folder: Path) -> Path:
    """Write the rows of a sweep to one file, a JSON object per line; return its path.

    The same jobs have the same file name.
    """
    names = json.dumps([job.name for job in jobs])
    name = f"{jobs[0].experiment.name}-{hashlib.sha256(names.encode()).hexdigest()[:8]}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(folder / name) as file:
        for row in rows_of(jobs, store):
            file.write((json.dumps(row, sort_keys=True) + "\n").encode())
    return folder / name
