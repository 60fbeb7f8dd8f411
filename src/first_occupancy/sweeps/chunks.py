"""Chunks: several tasks that travel to a worker together, and what comes back.

A short task costs less than sending it, so a worker gets many at once. It stops after a while
and leaves the rest to be handed out again, so that little is lost with a worker that dies,
and progress shows, however long the tasks turn out to be.
"""

import pickle
import socket
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from first_occupancy.core.errors import InputError
from first_occupancy.experiments import Row
from first_occupancy.sweeps.store import code_of, lines_of

CHUNK_SECONDS = 0.5
"""How long a worker goes on with a chunk, and so what a death costs, but for longer tasks."""


class Task(NamedTuple):
    """A job as a worker needs it."""

    run: Callable[[Any, int], Iterator[Row]]
    config: Any
    seed: int


@dataclass(frozen=True)
class Finished:
    """A task's rows as they are stored, and the code that they come from."""

    lines: bytes
    code: dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """What a task raised; exceptions themselves may not travel."""

    error: str
    trace: str
    is_refusal: bool = False
    """Whether something did not take what it was given (`InputError`): the config, as a rule."""


@dataclass(frozen=True)
class Outcome:
    """What came of the first tasks of a chunk; the others were left."""

    results: tuple[Finished | Failed, ...]
    seconds: float
    host: str


def run_chunk(tasks: tuple[Task, ...]) -> Outcome:
    """Run tasks for a while, at least one, and return what came of those that were run."""
    begin = time.perf_counter()
    results = []
    for task in tasks:
        results.append(_run(task))
        if time.perf_counter() - begin > CHUNK_SECONDS:
            break
    return Outcome(tuple(results), time.perf_counter() - begin, socket.gethostname())


def _run(task: Task) -> Finished | Failed:
    try:
        code = code_of(task.run)  # before, because files may be edited while it runs
        return Finished(lines_of(task.run(task.config, task.seed)), code)
    except InputError as error:
        return Failed(str(error), traceback.format_exc(), is_refusal=True)
    # Whatever an experiment raises, others can go on; also if it would leave.
    except (Exception, SystemExit) as error:
        return Failed(f"{type(error).__name__}: {error}", traceback.format_exc())


def pack(tasks: tuple[Task, ...]) -> bytes:
    """Return a chunk as it travels: functions by their module's and their own name."""
    try:
        return pickle.dumps(tasks)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            "sweep: 'run' and the config of an experiment must be found by other processes, "
            f"so both must stand at the top level of a module, got: {error}"
        ) from None


def run_packed(packed: bytes) -> Outcome:
    """Run a packed chunk; where its code cannot be imported, all of it has failed."""
    try:
        tasks = pickle.loads(packed)
    except Exception as error:  # importing a user's module can raise anything
        failed = Failed(f"{type(error).__name__}: {error}", traceback.format_exc())
        return Outcome((failed,), 0.0, socket.gethostname())
    return run_chunk(tasks)
