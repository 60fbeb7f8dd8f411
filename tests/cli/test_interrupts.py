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

START = (
    "import os, sys; os.write(1, b'.'); from first_occupancy.__main__ import main; sys.exit(main())"
)
SWEEP = [
    "sweep",
    "--from",
    "short_trials",
    "--set",
    "kind=sums",
    "seconds=0.05",
    "--seeds",
    "1000",
    "--jobs",
    "2",
]
DRAW = random.Random(18)


def interrupted(delay, arguments, cwd):
    """Press Ctrl-C some time after our code has started, in a session like a terminal's."""
    command = [sys.executable, "-c", START, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, cwd=cwd
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.parametrize("delay", [DRAW.uniform(0, 3) for _ in range(4)])
def test_at_any_moment_it_ends_with_one_line_and_nothing_left(tmp_path, monkeypatch, delay):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    assert interrupted(delay, [*SWEEP, "--out", "out"], tmp_path) == (130, b"\nstopped\n")
    assert not list(tmp_path.rglob(".*.jsonl.*"))


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
