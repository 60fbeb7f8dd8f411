"""Workers that are processes on this machine."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue

from first_occupancy.core.threads import processors

from .chunks import Outcome, Task, pack, run_packed
from .workers import Died, Done, Event, Joined

_HINTS: dict[int | None, str] = {
    1: "; a script must start its work below: if __name__ == '__main__'"
}
"""Hints by exit code. Each process imports the script first; without the guard it would start
processes itself."""


class Processes:
    """`number` processes, by default one per core; a process that dies is replaced."""

    def __init__(self, number: int | None = None):
        self._number = number or processors()
        self._counter = count()
        self._events: deque[Event] = deque()
        self._processes: dict[int, BaseProcess] = {}
        self._pipes: dict[int, Connection] = {}

    def start(self, num_tasks: int) -> int:
        """Start the processes, which accept chunks at once, and return their number."""
        number = min(self._number, num_tasks)
        for _ in range(number):
            self._hire()
        return number

    def give(self, worker: int, chunk: tuple[Task, ...]) -> None:
        """Send a chunk to a process.

        Args:
            worker: number of a worker that has joined.
            chunk: tasks to run, in this order.
        """
        packed = pack(chunk)
        with suppress(OSError):  # if it is dead, `wait` will report it
            self._pipes[worker].send_bytes(packed)

    def wait(self) -> Event:
        """Return the next event: a worker joined, finished a chunk, or died."""
        if self._events:
            return self._events.popleft()
        (pipe, *_) = wait(self._pipes.values())
        (worker,) = [number for number, each in self._pipes.items() if each is pipe]
        try:
            outcome: Outcome = pickle.loads(self._pipes[worker].recv_bytes())
            return Done(worker, outcome)
        except (EOFError, OSError):
            process = self._processes.pop(worker)
            self._pipes.pop(worker).close()
            process.join()
            self._hire()
            return Died(worker, f"exit code {process.exitcode}{_HINTS.get(process.exitcode, '')}")

    def stop(self) -> None:
        """Kill the processes; results they have not sent are not needed."""
        for process in self._processes.values():
            process.kill()
        for worker, process in self._processes.items():
            process.join()
            self._pipes[worker].close()
        self._processes.clear()
        self._pipes.clear()
        self._events.clear()

    def _hire(self) -> None:
        # JAX runs threads, so forking could copy locks that are held and then never released.
        spawn = multiprocessing.get_context("spawn")
        worker = next(self._counter)
        self._pipes[worker], theirs = spawn.Pipe()
        process = spawn.Process(target=_serve, args=(theirs,), daemon=True)
        with _blocked_interrupts():
            process.start()
        theirs.close()  # so that the pipe ends when the process dies
        self._processes[worker] = process
        self._events.append(Joined(worker))


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block Ctrl-C for processes started inside, from their first moment; this one gets it later.

    A terminal sends it to all processes. Those that are still importing would print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # otherwise starting it would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    """Run chunks as they arrive, until the parent process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    import jax

    jax.config.update("jax_enable_x64", True)
    chunks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, chunks), daemon=True).start()
    while True:
        pipe.send_bytes(pickle.dumps(run_packed(chunks.get())))


def _receive(pipe: Connection, chunks: "SimpleQueue[bytes]") -> None:
    """Empty the pipe at once, or both ends might block on a full pipe."""
    while True:
        try:
            chunks.put(pipe.recv_bytes())
        except (EOFError, OSError):  # the parent process was killed
            os._exit(1)
