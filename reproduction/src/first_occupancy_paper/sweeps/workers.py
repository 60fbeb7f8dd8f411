"""Workers, which run chunks, and the events that they report to the runner.

The runner accepts any implementation of the protocol `Workers`: this process (`Here`), processes
of this machine (`processes.Processes`), a cluster (`ray_workers.RayWorkers`).
"""

from collections import deque
from typing import NamedTuple, Protocol, runtime_checkable

import jax

from .chunks import Outcome, Task, run_chunk


class Joined(NamedTuple):
    """A worker accepts chunks from now on."""

    worker: int


class Done(NamedTuple):
    """A worker has finished with the oldest chunk it was given.

    Attributes:
        worker: number of the worker.
        outcome: results of the tasks that it ran.
    """

    worker: int
    outcome: Outcome


class Died(NamedTuple):
    """A worker is gone, with all chunks it was given; another may join in its place.

    Attributes:
        worker: number of the worker.
        why: reason, for messages.
    """

    worker: int
    why: str


Event = Joined | Done | Died


@runtime_checkable
class Workers(Protocol):
    """Protocol of workers: each runs its chunks one by one, in the order given."""

    def start(self, num_tasks: int) -> int:
        """Begin to start workers, at most one per task; return how many to expect."""
        ...

    def give(self, worker: int, chunk: tuple[Task, ...]) -> None:
        """Give a chunk to a worker that has joined; it may have died in the meantime."""
        ...

    def wait(self) -> Event:
        """Wait for the next event and return it."""
        ...

    def stop(self) -> None:
        """Stop all workers, even in the middle of a chunk."""
        ...


class Here:
    """This process as the only worker."""

    def __init__(self) -> None:
        self._chunks: deque[tuple[Task, ...]] = deque()

    def start(self, num_tasks: int) -> int:
        """Return 1, for any number of tasks."""
        del num_tasks
        return 1

    def give(self, worker: int, chunk: tuple[Task, ...]) -> None:
        """Keep a chunk until `wait` runs it."""
        del worker
        self._chunks.append(chunk)

    def wait(self) -> Event:
        """Return that the worker joined, if it has no chunk yet; else run one and return it."""
        if not self._chunks:
            return Joined(0)
        # All workers use 64 bits, whatever the caller's setting: rows must not depend on the
        # worker.
        with jax.enable_x64(True):
            return Done(0, run_chunk(self._chunks.popleft()))

    def stop(self) -> None:
        """Discard the chunks."""
        self._chunks.clear()
