"""Ctrl-C at any moment: exit code 130 and one line."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from first_occupancy.cli import interrupts
from interruption import START, interrupted

DRAW = random.Random(18)


def press():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)


def test_it_is_raised_in_the_block_and_the_handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interrupts.interruptible():
        press()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_block_that_swallows_it_raises_it_at_its_end():
    def block():
        with interrupts.interruptible(), contextlib.suppress(KeyboardInterrupt):
            press()

    with pytest.raises(KeyboardInterrupt):
        block()


def test_outside_the_main_thread_handlers_stay_as_they_are():
    before = signal.getsignal(signal.SIGINT)
    found = []

    def block():
        with interrupts.interruptible():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert found == [before]


STUBBORN = """
import time
from first_occupancy.cli import interrupts
interrupts.PATIENCE = 0.2
print(1, flush=True)
with interrupts.interruptible():
    while True:
        try:
            time.sleep(0.01)
        except KeyboardInterrupt:
            pass
"""


def pressed(code):
    """Press Ctrl-C shortly after a program has printed a number; return its code and outputs."""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    return process.returncode, printed, said


def test_a_command_that_does_not_stop_is_ended():
    assert pressed(STUBBORN) == (130, b"", b"\nstopped\n")


FINALISERS = """
import time
from first_occupancy.cli import interrupts
class Slow:
    def __del__(self):
        time.sleep(0.5)
interrupts.PATIENCE = 1
print(1, flush=True)
with interrupts.interruptible():
    while True:
        Slow()
"""


def test_a_finaliser_that_swallows_it_is_not_reported():
    assert pressed(FINALISERS) == (130, b"", b"\nstopped\n")


WORKING = """
import atexit, threading, time
from first_occupancy.cli import interrupts
atexit.register(print, "cleaned")
interrupts.end_at_once()
threading.Thread(target=time.sleep, args=[100]).start()
interrupts.PATIENCE = 5
print(1, flush=True)
try:
    with interrupts.interruptible():
        time.sleep(100)
except KeyboardInterrupt:
    interrupts.tell()
    interrupts.leave()
"""


def test_exit_functions_are_called_but_other_threads_are_not_waited_for():
    assert pressed(WORKING) == (130, b"cleaned\n", b"\nstopped\n")


@pytest.mark.whole
def test_compilation_can_be_interrupted_at_any_moment(tmp_path):
    """XLA compiles in several threads, which crash if the interpreter is taken down meanwhile."""
    rows = ["S" + 39 * ".", *[40 * "."] * 38, 39 * "." + "G"]
    (tmp_path / "maze.txt").write_text("\n".join(rows))
    plan = ["plan", "maze.txt", "--noise", "0.2"]
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", START, *plan], cwd=tmp_path, check=True)
    whole, ends = time.monotonic() - began, []
    while len(ends) < 10:
        code, printed, said = interrupted(DRAW.uniform(0, whole), plan, tmp_path)
        if not printed:  # else it came after the answer
            ends.append((code, said))
    assert ends == [(130, b"\nstopped\n")] * 10
