"""Run jobs wherever there are workers, store their rows, and say how it goes.

Every job is run the same way wherever it runs, and one process stores all rows, so workers
change nothing but the time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from first_occupancy.core.errors import InputError
from first_occupancy.sweeps.board import MOST_DEATHS, Board
from first_occupancy.sweeps.chunks import Failed, Finished, Outcome, Task
from first_occupancy.sweeps.jobs import Job
from first_occupancy.sweeps.processes import Processes
from first_occupancy.sweeps.store import DamagedError, Store, code_of
from first_occupancy.sweeps.workers import Died, Done, Here, Joined, Workers

MOST_DEATHS_IN_A_ROW = 3 * MOST_DEATHS
"""So many workers may die before one has done anything, until all is given up."""


class JobFailedError(RuntimeError):
    """A job cannot be finished; the rows of all that could be are stored."""


class JobRefusedError(JobFailedError, InputError):
    """An experiment does not take a job's config, and no job failed otherwise."""


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


def here(number: int | None, num_jobs: int) -> Workers:
    """Return workers on this machine: processes, or only this one if one is enough."""
    return Here() if 1 in (number, num_jobs) else Processes(number)


def run_jobs(
    jobs: Sequence[Job],
    store: Store,
    workers: Workers,
    *,
    report: Callable[[str], None] = lambda text: None,
) -> Iterator[Job]:
    """Run jobs and store their rows; yield each job when its rows are safe.

    A job whose worker died is run again. One that raises is not, and the others go on; in the
    end a `JobFailedError` tells of it.
    """
    if not jobs:
        return
    for run in {job.experiment.run for job in jobs}:
        code_of(run)  # as it was loaded; whoever edits it from here on does not change the rows
    try:
        board = Board(len(jobs), workers.start(len(jobs)))
        failures: dict[int, Failed] = {}
        num_deaths = 0
        while not board.is_cleared:
            results: dict[int, Finished | Failed] = {}
            match workers.wait():
                case Joined(worker):
                    board.join(worker)
                case Done(worker, outcome):
                    num_deaths = 0
                    results = _results(jobs, board, worker, outcome)
                case Died(worker, why):
                    num_deaths += 1
                    _check_deaths(num_deaths, why)
                    report(f"a worker died ({why}); what it was at runs again")
                    results = dict.fromkeys(board.died(worker), _died(why))
            # Handed out before anything is stored, so that no worker waits for the disk.
            for worker, chunk in board.hand_out():
                workers.give(worker, tuple(_task(jobs[number]) for number in chunk))
            failures |= {task: each for task, each in results.items() if isinstance(each, Failed)}
            yield from _stored(jobs, results, store)
    finally:
        workers.stop()
    if failures:
        raise _failure(jobs, failures)


def _results(
    jobs: Sequence[Job], board: Board, worker: int, outcome: Outcome
) -> dict[int, Finished | Failed]:
    """Return what came of each task that a worker was at, if it is of the right code."""
    done = board.done(worker, number=len(outcome.results), seconds=outcome.seconds)
    results = dict(zip(done, outcome.results, strict=True))
    for task, result in results.items():
        if isinstance(result, Finished):
            _check_code(jobs[task], result, outcome.host)
    return results


def _stored(
    jobs: Sequence[Job], results: Mapping[int, Finished | Failed], store: Store
) -> list[Job]:
    """Store the rows of finished jobs; return those jobs."""
    finished = {task: each for task, each in results.items() if isinstance(each, Finished)}
    store.write_all([(jobs[task], each.lines) for task, each in finished.items()])
    return [jobs[task] for task in finished]


def _task(job: Job) -> Task:
    return Task(job.experiment.run, job.config, job.seed)


def _check_code(job: Job, result: Finished, host: str) -> None:
    """Raise unless a worker's rows are those that this process would have got."""
    ours = code_of(job.experiment.run)
    if result.code != ours:
        raise InputError(
            f"sweep: the worker on {host} must run the same code as this process, "
            f"{_words(ours)}, got {_words(result.code)}"
        )


def _words(code: dict) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in code["versions"].items())
    return f"{code['code']} with {packages}"


def _died(why: str) -> Failed:
    return Failed(f"its worker died {MOST_DEATHS} times, the last time with: {why}", "")


def _check_deaths(number: int, why: str) -> None:
    if number >= MOST_DEATHS_IN_A_ROW:
        raise JobFailedError(
            f"{number} workers in a row died before they had done anything, the last with: {why}"
        )


def _failure(jobs: Sequence[Job], failures: Mapping[int, Failed]) -> JobFailedError:
    """Return what tells of the first failure, or of the first that is no refusal."""
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
