"""Ctrl-C: one line and exit code 130, whenever it is pressed.

While modules are imported there is nothing to clean up, so the process ends at once; raising
`KeyboardInterrupt` in the middle of an import ends in a traceback, or in code that swallows it.
While a command runs, `KeyboardInterrupt` is raised, so that workers are stopped, temporary files
removed, and the terminal put right. Compiled code and finalisers can swallow it even then; the
process is ended if it has not stopped by itself after a moment. The interpreter is never taken
down: a compilation that still runs in another thread would crash.

This module imports next to nothing, so that it is there at once.
"""

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

EXIT_CODE = 130
"""Exit code of a command that was interrupted: 128 + SIGINT, as shells have it."""

PATIENCE = 2.0
"""Seconds that a running command has to stop by itself."""

_SHOW_CURSOR = b"\x1b[?25h"
_told = False


def end_at_once() -> None:
    """Let Ctrl-C end the process at once from now on."""
    signal.signal(signal.SIGINT, lambda number, frame: _end())


def tell() -> None:
    """Say in one line that the command was stopped."""
    global _told
    _told = True
    print("\nstopped", file=sys.stderr, flush=True)


def leave() -> None:
    """End an interrupted process: call its exit functions, but do not wait for other threads."""
    import atexit

    _end_soon()
    atexit._run_exitfuncs()
    with contextlib.suppress(Exception):  # closed, or nobody reads
        sys.stdout.flush()
    _end()


@contextlib.contextmanager
def interruptible() -> "Iterator[None]":
    """Let Ctrl-C raise `KeyboardInterrupt` in a block, or after it if it was swallowed.

    The process ends if the block goes on for `PATIENCE` seconds, or Ctrl-C is pressed once more.
    """
    import threading

    timer, hook = None, sys.unraisablehook

    def interrupt(number: int, frame: object) -> None:
        nonlocal timer
        if timer is not None:
            _end()
        # Finalisers swallow it, and Python would print that they did.
        sys.unraisablehook = lambda _: None
        timer = _end_soon()
        raise KeyboardInterrupt

    # Only there can handlers be set.
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, interrupt) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)
        if timer is not None:
            timer.cancel()
            sys.unraisablehook = hook
            raise KeyboardInterrupt


def _end_soon() -> "threading.Timer":
    """End the process after `PATIENCE` seconds if it still runs."""
    import threading

    timer = threading.Timer(PATIENCE, _end)
    timer.daemon = True
    timer.start()
    return timer


def _end() -> None:
    """End the process without cleaning up: workers end by themselves, the next run clears up."""
    if not _told:
        with contextlib.suppress(Exception):  # closed, or in the middle of a write
            sys.stdout.flush()
        if os.isatty(2):
            os.write(2, _SHOW_CURSOR)  # a progress bar may have hidden it
        os.write(2, b"\nstopped\n")  # not through a buffer, which may be in the middle of a write
    os._exit(EXIT_CODE)
