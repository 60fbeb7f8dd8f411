"""Run jobs here, in this process or in several, and say how it goes.

Every job is run the same way wherever it runs, so the number of processes changes
nothing but the time.
"""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import pairwise
from pathlib import Path

from first_occupancy.experiments.registry import experiment
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
    workers = [
        ProcessPoolExecutor(1, mp_context=spawn, initializer=_start_worker) for _ in range(count)
    ]
    try:
        yield from _share_out(jobs, store, workers)
    finally:
        for worker in workers:
            worker.shutdown(wait=False, cancel_futures=True)


def _share_out(
    jobs: Sequence[Job], store: Store, workers: Sequence[ProcessPoolExecutor]
) -> Iterator[Job]:
    """Yield the jobs as workers finish them, each going through a stretch of neighbours.

    Neighbours share compiled programs, and compiling is most of a small job's time. A
    worker that is through with its own stretch takes from the end of the longest other.
    """
    ends = [len(jobs) * number // len(workers) for number in range(len(workers) + 1)]
    stretches = [deque(jobs[begin:end]) for begin, end in pairwise(ends)]
    running: dict[Future[None], tuple[int, Job]] = {}

    def give(number: int) -> None:
        longest = max(stretches, key=len)
        if longest:
            job = stretches[number].popleft() if stretches[number] else longest.pop()
            arguments = (job.experiment.name, job.config, job.seed, store.folder)
            running[workers[number].submit(_run, *arguments)] = (number, job)

    # One job waits at each worker, so that none stands still while the caller is busy.
    for number in [*range(len(workers))] * 2:
        give(number)
    while running:
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            number, job = running.pop(future)
            future.result()
            give(number)
            yield job


def _start_worker() -> None:
    import jax

    jax.config.update("jax_enable_x64", True)


def _run(name: str, config: object, seed: int, folder: Path) -> None:
    job = Job(experiment(name), config, seed)
    Store(folder).write(job, job.experiment.run(config, seed))
