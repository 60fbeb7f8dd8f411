"""What does it cost to hand out 10,000 short trials, and to store them one file each?

A trial computes for some milliseconds of its processor's time and yields one row. The peer is
two processes that each loop over half of the trials and neither ask for work nor keep anything.
What a sweep takes beyond that is overhead: sending, writing, waiting for the disk, and whatever
the process that hands out takes from the two cores. Starting workers is left out of it, as
that does not grow with the trials. The second half needs Ray, the
reproduction's extra `cluster`.
"""

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec

from measuring import Row, compared, main
from trials import Config, run

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.sweeps import Processes, RayWorkers, Workers
from first_occupancy_paper.sweeps.jobs import Job
from first_occupancy_paper.sweeps.runner import run_jobs, unfinished
from first_occupancy_paper.sweeps.store import Store

NUM_WORKERS = 2
MOST = 20
"""The most overhead in percent of the work."""


def measure(quick: bool) -> Iterable[Row]:
    """Yield rows on processes and on Ray, and on finding out that all is stored."""
    number = 500 if quick else 10_000
    for milliseconds in (5,) if quick else (5, 2):
        yield from _overheads(number, milliseconds)


def _overheads(number: int, milliseconds: int) -> Iterable[Row]:
    size = f"{number:,} trials of {milliseconds} ms, {NUM_WORKERS} workers"
    config = Config(milliseconds / 1000)
    calls: dict[str, Callable[[], tuple[float, float]]] = {
        "processes": partial(_sweep, config, number, lambda: Processes(NUM_WORKERS))
    }
    if find_spec("ray"):
        calls["Ray"] = partial(_sweep, config, number, partial(RayWorkers, number=NUM_WORKERS))
    for name, call in calls.items():
        peer = _bare(config, number)
        seconds, again = call()
        peer = min(peer, _bare(config, number))
        yield compared(
            f"sweep of short trials, {name}: overhead",
            size,
            ours=("sweep, without starting workers", seconds),
            peer=("two bare loops", peer),
            ratio=100 * (seconds / peer - 1),
            unit="% of the work",
            at_most=MOST,
        )
    yield compared(
        "sweep of which all is stored",
        size,
        ours=("finding out", again),
        peer=("two bare loops", peer),
        ratio=100 * again / peer,
        unit="% of the work",
    )


def _sweep(config: Config, number: int, hire: Callable[[], Workers]) -> tuple[float, float]:
    """Return the seconds from the first trial that is stored to the last, and to see they are."""
    trials = Experiment(name="short_trials", config=config, run=run)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        jobs = [Job(trials, config, seed) for seed in range(number)]
        finished = run_jobs(jobs, store, hire())
        next(finished)
        begin = time.perf_counter()
        for _ in finished:
            pass
        seconds = time.perf_counter() - begin
        begin = time.perf_counter()
        jobs = [Job(trials, config, seed) for seed in range(number)]
        if unfinished(jobs, store, print):
            raise RuntimeError("all trials should be stored")
        return seconds, time.perf_counter() - begin


def _bare(config: Config, number: int) -> float:
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(NUM_WORKERS, mp_context=spawn) as pool:
        list(pool.map(_loop, [config] * NUM_WORKERS, [1] * NUM_WORKERS))  # both have started
        begin = time.perf_counter()
        list(pool.map(_loop, [config] * NUM_WORKERS, [number // NUM_WORKERS] * NUM_WORKERS))
        return time.perf_counter() - begin


def _loop(config: Config, number: int) -> None:
    for seed in range(number):
        for _ in run(config, seed):
            pass


if __name__ == "__main__":
    main(measure)
