"""Work that stops when nobody waits for it: a newer question of the same page, or a closed one.

A page asks again with every cell that is drawn. Its older question is then of no use, and would
make the newer one wait. So work is done in steps, and between steps looks whether it should go on.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TypeVar

Answer = TypeVar("Answer")
Step = Callable[[], None]
"""Called between the parts of some work; raises once nobody waits for its answer any more."""

REMEMBERED = 256
"""Pages whose last question is remembered."""


class SupersededError(Exception):
    """Nobody waits for this work any more."""


def go_on(stop: Event) -> None:
    """Raise SupersededError once the work should stop."""
    if stop.is_set():
        raise SupersededError


class AnswerThreads:
    """Threads that answer questions, each page's newest first of all."""

    def __init__(self, threads: int = 2) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="lab")
        self._latest: OrderedDict[tuple[str, str], Event] = OrderedDict()

    async def answer(
        self,
        work: Callable[[Step], Answer],
        *,
        page: str | None,
        kind: str,
        is_gone: Callable[[], Awaitable[bool]],
    ) -> Answer:
        """Return what `work` returns; raise `SupersededError` once the page asks anew or is gone.

        Args:
            work: computes the answer; it is given a function to call between its parts.
            page: id of the page that asks; None if no newer question may stop this one.
            kind: kind of the question; only a newer one of the same kind stops it.
            is_gone: tells whether the page is closed.
        """
        stop = self._begin(page, kind)
        step = partial(go_on, stop)

        def whole() -> Answer:
            step()
            return work(step)

        task = asyncio.get_running_loop().run_in_executor(self._pool, whole)
        while True:
            done, _ = await asyncio.wait({task}, timeout=0.1)
            if done:
                return task.result()
            if await is_gone():
                stop.set()

    def _begin(self, page: str | None, kind: str) -> Event:
        """Return what tells the new work to stop, and tell the page's older work."""
        stop = Event()
        if page is not None:
            older = self._latest.pop((page, kind), None)
            if older is not None:
                older.set()
            self._latest[page, kind] = stop
            while len(self._latest) > REMEMBERED:
                self._latest.popitem(last=False)
        return stop

    def close(self) -> None:
        """Let go of the threads, and tell what they do to stop."""
        for stop in self._latest.values():
            stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
