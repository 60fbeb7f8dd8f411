"""How the lab ends."""

import signal
import subprocess
import sys
import time

import httpx

COMMAND = [sys.executable, "-m", "first_occupancy.cli.main", "lab", "--port", "0", "--no-browser"]


def test_it_ends_in_order_while_programs_still_compile():
    with subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as lab:
        assert lab.stdout is not None
        address = lab.stdout.readline().split()[4]
        assert not httpx.get(f"{address}api/status", timeout=60).json()["ready"]
        time.sleep(1)  # until it is in the middle of one
        lab.send_signal(signal.SIGINT)
        _, said = lab.communicate(timeout=60)
    assert (lab.returncode, said) == (130, "\nstopped\n")
