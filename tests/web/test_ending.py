"""How the lab ends."""

import signal
import socket
import subprocess
import sys
import time

COMMAND = [sys.executable, "-m", "first_occupancy.cli.main", "lab", "--port", "0", "--no-browser"]


def test_an_interrupt_ends_it_within_a_second_whatever_is_open():
    with subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as lab:
        assert lab.stdout is not None
        host, port = lab.stdout.readline().split()[4].removeprefix("http://").strip("/").split(":")
        begun = [socket.create_connection((host, int(port))) for _ in range(3)]
        begun[0].sendall(b"GET / HTTP/1.1\r\nHost: ")  # half a request
        begun[1].sendall(
            b"GET /main.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )  # kept open after its answer
        assert begun[1].recv(15) == b"HTTP/1.1 200 OK"
        interrupted = time.monotonic()
        lab.send_signal(signal.SIGINT)
        _, said = lab.communicate(timeout=60)
        took = time.monotonic() - interrupted
        for connection in begun:
            connection.close()
    assert (lab.returncode, said) == (130, "\nstopped\n")
    assert took < 1
