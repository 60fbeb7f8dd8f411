"""Ctrl-C during a sweep: exit code 130 and one line, whenever it is pressed."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

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
