"""Ctrl-C at any moment: exit code 130 and one line."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from first_occupancy.cli import interrupts


def press():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)


def test_it_is_raised_in_the_block_and_the_handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interrupts.Interruptible():
        press()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_block_that_swallows_it_raises_it_at_its_end():
    def block():
        with interrupts.Interruptible(), contextlib.suppress(KeyboardInterrupt):
            press()

    with pytest.raises(KeyboardInterrupt):
        block()


def test_outside_the_main_thread_handlers_stay_as_they_are():
    before = signal.getsignal(signal.SIGINT)
    found = []

    def block():
        with interrupts.Interruptible():
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
with interrupts.Interruptible():
    while True:
        try:
            time.sleep(0.01)
        except KeyboardInterrupt:
            pass
"""


def test_a_command_that_does_not_stop_is_ended():
    with subprocess.Popen(
        [sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"\nstopped\n")
