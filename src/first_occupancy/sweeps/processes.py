"""Workers that are processes of this machine."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue

from first_occupancy.core.threads import processors
from first_occupancy.sweeps.chunks import Outcome, Task, pack, run_packed
from first_occupancy.sweeps.workers import Died, Done, Event, Joined

_HINTS: dict[int | None, str] = {
    1: "; a script must begin its work below: if __name__ == '__main__'"
}
"""Each process imports the script first, and would start processes itself otherwise."""


class Processes:
    """So many processes, one per core if none is said; one that dies is replaced."""

    def __init__(self, number: int | None = None):
        self._number = number or processors()
        self._counter = count()
        self._events: deque[Event] = deque()
        self._processes: dict[int, BaseProcess] = {}
        self._pipes: dict[int, Connection] = {}

    def start(self, num_tasks: int) -> int:
        """Start the processes; they can be given chunks at once."""
        number = min(self._number, num_tasks)
        for _ in range(number):
            self._hire()
        return number

    def give(self, worker: int, chunk: tuple[Task, ...]) -> None:
        """Send a chunk."""
        packed = pack(chunk)
        with suppress(OSError):  # if it is dead, `wait` will tell
            self._pipes[worker].send_bytes(packed)

    def wait(self) -> Event:
        """Return who joined, is through with a chunk, or died."""
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
        """Kill the processes: what they have not sent is not needed."""
        for process in self._processes.values():
            process.kill()
        for worker, process in self._processes.items():
            process.join()
            self._pipes[worker].close()
        self._processes.clear()
        self._pipes.clear()
        self._events.clear()

    def _hire(self) -> None:
        # JAX runs threads, which a forked process would inherit in the middle of something.
        spawn = multiprocessing.get_context("spawn")
        worker = next(self._counter)
        self._pipes[worker], theirs = spawn.Pipe()
        process = spawn.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()  # so that its death is the end of the pipe
        self._processes[worker] = process
        self._events.append(Joined(worker))


def _serve(pipe: Connection) -> None:
    """Run chunks as they come, until nobody is there to send one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that hands out
    import jax

    jax.config.update("jax_enable_x64", True)
    chunks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, chunks), daemon=True).start()
    while True:
        pipe.send_bytes(pickle.dumps(run_packed(chunks.get())))


def _receive(pipe: Connection, chunks: "SimpleQueue[bytes]") -> None:
    """Take chunks out of the pipe at once, or both ends might wait for room to send."""
    while True:
        try:
            chunks.put(pipe.recv_bytes())
        except (EOFError, OSError):  # whoever handed out chunks was killed
            os._exit(1)
