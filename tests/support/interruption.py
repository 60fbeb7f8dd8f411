"""Ctrl-C at some moment of a command, in a process of its own."""

import os
import signal
import subprocess
import sys
import time

START = (
    "import os, sys; from first_occupancy.__main__ import main; os.write(1, b'.'); sys.exit(main())"
)


def interrupted(delay, arguments, cwd):
    """Press Ctrl-C some time after our code has started, in a session like a terminal's.

    Returns:
        The exit code, and what was printed and said as an error.
    """
    command = [sys.executable, "-c", START, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, cwd=cwd
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    return process.returncode, printed, said
