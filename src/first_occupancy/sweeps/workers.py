"""Workers: who runs chunks, and what the runner hears of them.

The runner takes anything that does what `Workers` says: this process (`Here`), processes of
this machine (`processes.Processes`), a cluster (`ray_workers.RayWorkers`).
"""

from collections import deque
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax

from first_occupancy.sweeps.chunks import Outcome, Task, run_chunk


@dataclass(frozen=True)
class Joined:
    """A worker can be given chunks from now on."""

    worker: int


@dataclass(frozen=True)
class Done:
    """A worker is through with the oldest chunk it was given."""

    worker: int
    outcome: Outcome


@dataclass(frozen=True)
class Died:
    """A worker is gone, with all it was given; another may join in its place."""

    worker: int
    why: str


Event = Joined | Done | Died


@runtime_checkable
class Workers(Protocol):
    """Those who run chunks, each its own one by one in the order given."""

    def start(self, num_tasks: int) -> int:
        """Begin to start workers, no more than there are tasks; return how many to expect."""
        ...

    def give(self, worker: int, chunk: tuple[Task, ...]) -> None:
        """Give a chunk to a worker that has joined; it may have died meanwhile."""
        ...

    def wait(self) -> Event:
        """Return the next event, as soon as there is one."""
        ...

    def stop(self) -> None:
        """End all workers, whatever they are at."""
        ...


class Here:
    """This very process, the only worker."""

    def __init__(self) -> None:
        self._chunks: deque[tuple[Task, ...]] = deque()
        self._has_joined = False

    def start(self, num_tasks: int) -> int:
        """Return one, whatever there is to do."""
        del num_tasks
        self.stop()
        return 1

    def give(self, worker: int, chunk: tuple[Task, ...]) -> None:
        """Keep a chunk until there is time for it."""
        del worker
        self._chunks.append(chunk)

    def wait(self) -> Event:
        """Join first, and then run a chunk."""
        if not self._has_joined:
            self._has_joined = True
            return Joined(0)
        # As all workers do, whatever the caller uses: rows must not depend on who runs a job.
        with jax.enable_x64(True):
            return Done(0, run_chunk(self._chunks.popleft()))

    def stop(self) -> None:
        """Forget the chunks."""
        self._chunks.clear()
        self._has_joined = False
