"""Run jobs on workers, store their rows, and report progress.

Every job runs the same way on every kind of worker, and one process stores all rows, so the
choice of workers affects only the time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from first_occupancy.core.errors import InputError

from .board import MOST_DEATHS, Board
from .chunks import Failed, Finished, Task
from .jobs import Job
from .processes import Processes
from .store import DamagedError, Store, code_of
from .workers import Died, Done, Event, Here, Joined, Workers

MOST_DEATHS_IN_A_ROW = 3 * MOST_DEATHS
"""Number of consecutive worker deaths, with no chunk done in between, that ends the run."""


class JobFailedError(RuntimeError):
    """A job cannot be finished; the rows of all finished jobs are stored."""


class JobRefusedError(JobFailedError, InputError):
    """An experiment rejects a job's config, and no job failed for another reason."""


def unfinished(jobs: Sequence[Job], store: Store, report: Callable[[str], None]) -> list[Job]:
    """Return the jobs without valid rows in the store; damaged files are set aside.

    Args:
        jobs: jobs to look up.
        store: the results store.
        report: called with a message for each damaged file.
    """
    waiting = []
    for job in jobs:
        try:
            if store.is_finished(job):
                continue
        except DamagedError as damage:
            report(f"{damage}; set aside as {store.set_aside(job).name}, running it again")
        waiting.append(job)
    return waiting


def here(number: int | None, num_jobs: int) -> Workers:
    """Return workers on this machine: processes, or only this one if one is enough.

    Args:
        number: number of processes; None starts one per core.
        num_jobs: number of jobs to run.
    """
    return Here() if 1 in (number, num_jobs) else Processes(number)


def run_jobs(
    jobs: Sequence[Job],
    store: Store,
    workers: Workers,
    *,
    report: Callable[[str], None] = lambda text: None,
) -> Iterator[Job]:
    """Run jobs and store their rows.

    A job whose worker died is run again. A job that raises is not, and the others go on; a
    `JobFailedError` reports it in the end.

    Args:
        jobs: jobs to run.
        store: where to store their rows.
        workers: workers to run them; they are started and stopped here.
        report: called with a message whenever a worker dies.

    Yields:
        Each job once its rows are stored.

    Raises:
        JobFailedError: jobs failed, or workers keep dying (see `MOST_DEATHS_IN_A_ROW`).
        JobRefusedError: jobs failed, all of them because the experiment rejects their config.
        InputError: a worker runs other code than this process.
        OSError: rows cannot be stored; an unwritable folder is noticed before the first job.
    """
    if not jobs:
        return
    for run in {job.experiment.run for job in jobs}:
        code_of(run)  # cached now, so that later edits of the files are not taken for this code
    store.prepare(jobs)
    tasks = [Task(job.experiment.run, job.config, job.seed) for job in jobs]
    failures: dict[int, Failed] = {}
    try:
        board = Board(len(jobs), workers.start(len(jobs)))
        while not board.is_cleared:
            results = _results(workers.wait(), jobs, board, report)
            # Hand out chunks before storing rows, so that no worker waits for the disk.
            for worker, chunk in board.hand_out():
                workers.give(worker, tuple(tasks[number] for number in chunk))
            failures |= {task: each for task, each in results if isinstance(each, Failed)}
            finished = [(jobs[task], each) for task, each in results if isinstance(each, Finished)]
            store.write((job, each.lines) for job, each in finished)
            yield from (job for job, _ in finished)
    finally:
        workers.stop()
    if failures:
        raise _failure(jobs, failures)


def _results(
    event: Event, jobs: Sequence[Job], board: Board, report: Callable[[str], None]
) -> list[tuple[int, Finished | Failed]]:
    """Note an event on the board; return the tasks that it ends, each with its result."""
    match event:
        case Joined(worker):
            board.join(worker)
            return []
        case Done(worker, outcome):
            tasks = board.done(worker, number=len(outcome.results), seconds=outcome.seconds)
            results = list(zip(tasks, outcome.results, strict=True))
            for task, result in results:
                if isinstance(result, Finished):
                    _check_code(jobs[task], result, outcome.host)
            return results
        case Died(worker, why):
            given_up = board.died(worker)
            if board.deaths_in_a_row >= MOST_DEATHS_IN_A_ROW:
                raise JobFailedError(
                    f"{MOST_DEATHS_IN_A_ROW} workers in a row died before finishing anything, "
                    f"the last with: {why}"
                )
            report(f"a worker died ({why}); its jobs will run again")
            error = f"its worker died {MOST_DEATHS} times, the last time with: {why}"
            return [(task, Failed(error, "")) for task in given_up]


def _check_code(job: Job, result: Finished, host: str) -> None:
    """Raise unless the worker ran the same code as this process."""
    ours = code_of(job.experiment.run)
    if result.code != ours:
        raise InputError(
            f"sweep: the worker on {host} must run the same code as this process, "
            f"{_words(ours)}, got {_words(result.code)}"
        )


def _words(code: Mapping[str, Any]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in code["versions"].items())
    return f"{code['code']} with {packages}"


def _failure(jobs: Sequence[Job], failures: Mapping[int, Failed]) -> JobFailedError:
    """Return an error that describes the first failure, preferring those that are no refusal."""
    first = min(failures, key=lambda number: (failures[number].is_refusal, number))
    job, failed = jobs[first], failures[first]
    settings = ", ".join(f"{name}={value!r}" for name, value in job.settings.items())
    more = f", and {len(failures) - 1} more failed" if len(failures) > 1 else ""
    others = "; all others are stored" if len(jobs) > len(failures) else ""
    kind = JobRefusedError if failed.is_refusal else JobFailedError
    error = kind(
        f"{job.experiment.name} with {settings}, seed {job.seed}: {failed.error}{more}{others}"
    )
    if failed.trace:
        error.add_note(failed.trace)
    return error
