"""Workers on a Ray cluster, one actor per CPU; needs the extra `cluster`.

Ray places the actors and reports those that died. As with processes, the runner retries tasks
and writes the store: rows are sent back to this process, so no shared disk is needed.
"""

import logging
import os
import socket
import sys
import time
from collections import deque
from itertools import count
from types import ModuleType
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy_paper.extras import extra_command

from .chunks import Outcome, Task, pack, run_packed
from .workers import Died, Done, Event, Joined

LOOK_EVERY = 2.0
"""Seconds between two checks of whether the cluster has grown."""


CONNECT_SECONDS = 10.0
"""Seconds that a cluster's head may take to answer."""


class RayWorkers:
    """One actor for each CPU of a cluster, including CPUs that join later.

    If Ray is already initialised in this process, that cluster is used.

    Args:
        address: address of the cluster's head, "host:port"; None uses the Ray cluster that runs
            on this machine, or starts one for the duration of the run. Leave it out if Ray is
            already initialised in this process.
        number: maximum number of actors; None sets no limit beyond the CPUs and the tasks.
    """

    def __init__(self, address: str | None = None, *, number: int | None = None):
        self._ray = _ray()
        self._address = address
        self._number = number
        self._most = 0
        self._is_ours = False
        self._counter = count()
        self._actors: dict[int, Any] = {}
        self._given: dict[int, deque[Any]] = {}
        """What each actor has to do: first of all to start."""
        self._looked_at = 0.0

    def start(self, num_tasks: int) -> int:
        """Join the cluster and request actors; return how many were requested, at least 1.

        An actor accepts chunks once Ray has placed it.
        """
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            _join(self._ray, self._address)
        elif self._address is not None:
            raise InputError(
                "RayWorkers: address must be left out where Ray is initialised in this process, "
                f"got {self._address}; omit it, or call ray.shutdown() first"
            )
        self._most = min(self._number or num_tasks, num_tasks)
        self._hire()
        return max(1, len(self._actors))

    def give(self, worker: int, chunk: tuple[Task, ...]) -> None:
        """Send a chunk to an actor.

        Args:
            worker: number of a worker that has joined.
            chunk: tasks to run, in this order.

        Raises:
            InputError: a task's function is defined in the script itself, not in a module.
        """
        if any(task.run.__module__ == "__main__" for task in chunk):
            raise InputError(
                "RayWorkers: 'run' of an experiment must be defined in a module that Ray's workers "
                "can import, got one that is defined in the script itself"
            )
        self._given[worker].append(self._actors[worker].run.remote(pack(chunk)))

    def wait(self) -> Event:
        """Return the next event: a worker joined, finished a chunk, or died."""
        while True:
            if time.monotonic() - self._looked_at > LOOK_EVERY:
                self._hire()
            # Only the oldest chunk of each worker: chunks are finished in order.
            oldest = {refs[0]: worker for worker, refs in self._given.items() if refs}
            if not oldest:
                time.sleep(LOOK_EVERY)
                continue
            ready, _ = self._ray.wait([*oldest], num_returns=1, timeout=LOOK_EVERY)
            if ready:
                return self._event(ready[0], oldest[ready[0]])

    def stop(self) -> None:
        """Kill all actors, and shut Ray down if it was started or joined here."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors.clear()
        self._given.clear()
        if self._is_ours:
            self._ray.shutdown()
            self._is_ours = False

    def _event(self, ref: Any, worker: int) -> Event:
        try:
            answer: Outcome | None = self._ray.get(ref)
        except self._ray.exceptions.RayError as error:
            # A worker that only seems dead would otherwise go on with tasks given to others.
            self._ray.kill(self._actors.pop(worker))
            del self._given[worker]
            self._hire()
            return Died(worker, _first_line(error))
        self._given[worker].popleft()
        return Joined(worker) if answer is None else Done(worker, answer)

    def _hire(self) -> None:
        """Request as many actors as the cluster has CPUs now, up to the limit."""
        self._looked_at = time.monotonic()
        capacity = int(self._ray.cluster_resources().get("CPU", 0))
        for _ in range(min(self._most, capacity) - len(self._actors)):
            worker = next(self._counter)
            # The runner does the retries: it knows which tasks were running.
            remote = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)
            self._actors[worker] = remote(_Worker).remote()
            self._given[worker] = deque([self._actors[worker].start.remote(sys.path)])


class _Worker:
    """The class of the actors."""

    def start(self, path: list[str]) -> None:
        """Import JAX, and add the module search path of the process that hands out tasks."""
        sys.path += [each for each in path if each not in sys.path]
        import jax

        jax.config.update("jax_enable_x64", True)

    def run(self, packed: bytes) -> Outcome:
        """Run a chunk."""
        return run_packed(packed)


def _ray() -> ModuleType:
    try:
        import ray
    except ImportError:
        raise InputError(
            "RayWorkers: running on a cluster needs Ray, which comes with the extra 'cluster': "
            f"{extra_command('cluster')}"
        ) from None
    return ray


def _join(ray: ModuleType, address: str | None) -> None:
    """Join a cluster, or start one; Ray's usage reports are off unless the user enabled them."""
    _check_reachable(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray.init(
            address=address,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        where = address or "this machine"
        raise InputError(f"RayWorkers: no Ray cluster at {where}: {_first_line(error)}") from None


def _check_reachable(address: str | None) -> None:
    """Raise unless "host:port" accepts connections; Ray itself would try for minutes.

    Addresses in Ray's other forms, as "auto" and "ray://...", are left to Ray.
    """
    host, colon, port = (address or "").rpartition(":")
    if not colon or "/" in host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"RayWorkers: no Ray cluster at {address}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
