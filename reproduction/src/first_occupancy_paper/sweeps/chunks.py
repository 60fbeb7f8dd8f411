"""Chunks: several tasks that are sent to a worker together, and their results.

A short task costs less than sending it, so a worker gets many at once. It stops after
`CHUNK_SECONDS` and leaves the rest to be handed out again, so that a worker's death costs little
and progress is visible, however long the tasks turn out to be.
"""

import pickle
import socket
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.row import Row

from .store import code_of, lines_of

CHUNK_SECONDS = 0.5
"""Time after which a worker starts no further task of a chunk; bounds what a death costs."""


class Task(NamedTuple):
    """A job in the form that a worker needs.

    Attributes:
        run: function of the experiment that yields rows.
        config: its settings.
        seed: its seed.
    """

    run: Callable[[Any, int], Iterator[Row]]
    config: Any
    seed: int


class Finished(NamedTuple):
    """The rows of a finished task.

    Attributes:
        lines: the rows as they are stored (see `store.lines_of`).
        code: versions of the code that produced them (see `store.code_of`).
    """

    lines: bytes
    code: dict[str, Any]


class Failed(NamedTuple):
    """What a task raised, as text: exceptions themselves may not be picklable.

    Attributes:
        error: message of the exception, after its type unless it is an `InputError`.
        trace: formatted traceback, empty if there is none.
        is_refusal: whether it is an `InputError`: usually the experiment rejects the config.
    """

    error: str
    trace: str
    is_refusal: bool = False


class Outcome(NamedTuple):
    """Results of the first tasks of a chunk; the others were not run.

    Attributes:
        results: result of each task that was run, in the order of the chunk.
        seconds: time taken by all of them.
        host: name of the machine that ran them.
    """

    results: tuple[Finished | Failed, ...]
    seconds: float
    host: str


def run_chunk(tasks: tuple[Task, ...]) -> Outcome:
    """Run tasks for `CHUNK_SECONDS`, at least one, and return the results of those that ran."""
    begin = time.perf_counter()
    results = []
    for task in tasks:
        results.append(_run(task))
        if time.perf_counter() - begin > CHUNK_SECONDS:
            break
    return Outcome(tuple(results), time.perf_counter() - begin, socket.gethostname())


def _run(task: Task) -> Finished | Failed:
    try:
        code = code_of(task.run)  # read first, because files may be edited while it runs
        return Finished(lines_of(task.run(task.config, task.seed)), code)
    except InputError as error:
        return Failed(str(error), traceback.format_exc(), is_refusal=True)
    # Other tasks go on whatever an experiment raises, even if it tries to exit.
    except (Exception, SystemExit) as error:
        return Failed(f"{type(error).__name__}: {error}", traceback.format_exc())


def pack(tasks: tuple[Task, ...]) -> bytes:
    """Return a pickled chunk; functions are pickled by the names of their module and their own."""
    try:
        return pickle.dumps(tasks)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            "sweep: 'run' and the config class of an experiment must be importable by other "
            f"processes, so both must be at the top level of a module, got: {error}"
        ) from None


def run_packed(packed: bytes) -> Outcome:
    """Run a packed chunk; if its code cannot be imported, its first task has failed."""
    try:
        tasks = pickle.loads(packed)
    except Exception as error:  # importing a user's module can raise anything
        failed = Failed(f"{type(error).__name__}: {error}", traceback.format_exc())
        return Outcome((failed,), 0.0, socket.gethostname())
    return run_chunk(tasks)
