"""The board: which tasks are waiting, which worker has which, and what to hand out next.

It knows nothing of processes, clusters or files, and numbers tasks from 0.
"""

from collections import Counter, deque
from collections.abc import Iterator
from itertools import pairwise

from .chunks import CHUNK_SECONDS

MOST_DEATHS = 3
"""Number of worker deaths after which a task is given up."""


class Board:
    """Stretches of neighbouring tasks, and the workers that run them.

    Neighbours share compiled programs, and compilation dominates the time of a small task, so each
    worker has a stretch of its own. A worker that has finished its stretch takes half of the
    longest remaining one.

    Args:
        num_tasks: number of tasks.
        num_workers: number of expected workers; more or fewer may join.
    """

    def __init__(self, num_tasks: int, num_workers: int):
        ends = [num_tasks * number // num_workers for number in range(num_workers + 1)]
        self._unowned = deque(deque(range(begin, end)) for begin, end in pairwise(ends))
        self._stretches: dict[int, deque[int]] = {}
        self._in_hand: dict[int, deque[list[int]]] = {}
        self._sizes: dict[int, int] = {}
        self._is_quick: dict[int, bool] = {}
        self._deaths: Counter[int] = Counter()
        self._num_left = num_tasks
        self.deaths_in_a_row = 0
        """Number of workers that have died since a chunk was done."""

    @property
    def is_cleared(self) -> bool:
        """Whether every task is done or given up."""
        return not self._num_left

    def join(self, worker: int) -> None:
        """Register a worker, so that it is handed chunks."""
        self._stretches[worker], self._in_hand[worker] = deque(), deque()
        self._sizes[worker], self._is_quick[worker] = 1, False

    def hand_out(self) -> Iterator[tuple[int, list[int]]]:
        """Yield chunks, each with the worker to give it to, until all workers have enough."""
        for worker in self._stretches:
            # A second chunk is queued at the worker, so that it never idles. Not if its tasks
            # are long: another worker might start them at once.
            while len(self._in_hand[worker]) < 1 + self._is_quick[worker]:
                if not (chunk := self._next(worker)):
                    break
                self._in_hand[worker].append(chunk)
                yield worker, chunk

    def done(self, worker: int, *, number: int, seconds: float) -> list[int]:
        """Record that a worker has done the first tasks of its oldest chunk.

        The tasks it left return to the front of its stretch.

        Args:
            worker: number of the worker.
            number: number of tasks it has done.
            seconds: time it took for them; sets the size of its next chunks.

        Returns:
            The tasks done.
        """
        chunk = self._in_hand[worker].popleft()
        self._stretches[worker].extendleft(reversed(chunk[number:]))
        fitting = int(number * CHUNK_SECONDS / max(seconds, 1e-9))
        self._sizes[worker] = max(1, min(2 * self._sizes[worker], fitting))
        self._is_quick[worker] = seconds < 2 * CHUNK_SECONDS
        self._num_left -= number
        self.deaths_in_a_row = 0
        return chunk[:number]

    def died(self, worker: int) -> list[int]:
        """Take a dead worker's tasks back; return those that are given up.

        If it had a chunk, a task of the oldest one is to blame. Which one is unknown, so these
        tasks run one by one from now on.
        """
        self.deaths_in_a_row += 1
        if worker not in self._in_hand:  # it died before it joined
            return []
        chunks = self._in_hand.pop(worker)
        self._deaths.update(chunks[0] if chunks else ())
        tasks = [task for chunk in chunks for task in chunk]
        given_up = [task for task in tasks if self._deaths[task] >= MOST_DEATHS]
        again = [task for task in tasks if self._deaths[task] < MOST_DEATHS]
        self._unowned.append(deque([*again, *self._stretches.pop(worker)]))
        self._num_left -= len(given_up)
        return given_up

    def _next(self, worker: int) -> list[int]:
        """Return the worker's next chunk, empty if no task is waiting."""
        if not self._stretches[worker]:
            self._stretches[worker] = self._another_stretch()
        stretch, chunk = self._stretches[worker], []
        while stretch and len(chunk) < self._sizes[worker]:
            if self._deaths[stretch[0]]:
                return chunk or [stretch.popleft()]
            chunk.append(stretch.popleft())
        return chunk

    def _another_stretch(self) -> deque[int]:
        while self._unowned:
            if stretch := self._unowned.popleft():
                return stretch
        longest = max(self._stretches.values(), key=len)
        return deque(reversed([longest.pop() for _ in range((len(longest) + 1) // 2)]))
