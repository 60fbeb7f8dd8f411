"""Run jobs here, in this process or in several, and say how it goes.

Every job is run the same way wherever it runs, so the number of processes changes
nothing but the time.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from first_occupancy.experiments import experiment
from first_occupancy.sweeps.jobs import Job
from first_occupancy.sweeps.store import DamagedError, Store


def unfinished(jobs: Sequence[Job], store: Store, report: Callable[[str], None]) -> list[Job]:
    """Return the jobs to run; damaged files are reported by name and set aside first."""
    waiting = []
    for job in jobs:
        try:
            if store.is_finished(job):
                continue
        except DamagedError as damage:
            report(f"{damage}; set aside as {store.set_aside(job).name}, running it again")
        waiting.append(job)
    return waiting


def run_jobs(jobs: Sequence[Job], store: Store, *, processes: int | None = None) -> Iterator[Job]:
    """Run jobs and store their rows; yield each job when its rows are safe."""
    count = min(processes or os.cpu_count() or 1, len(jobs))
    if count <= 1:
        for job in jobs:
            store.write(job, job.experiment.run(job.config, job.seed))
            yield job
        return
    # JAX runs threads, which a forked process would inherit in the middle of something.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=spawn, initializer=_start_worker) as pool:
        waiting = {
            pool.submit(_run, job.experiment.name, job.config, job.seed, store.folder): job
            for job in jobs
        }
        try:
            for future in as_completed(waiting):
                future.result()
                yield waiting[future]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _start_worker() -> None:
    import jax

    jax.config.update("jax_enable_x64", True)


def _run(name: str, config: object, seed: int, folder: Path) -> None:
    job = Job(experiment(name), config, seed)
    Store(folder).write(job, job.experiment.run(config, seed))
