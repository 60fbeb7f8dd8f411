"""What the lab's server answers, to whom, and what it tells browsers."""

import http.client
import socket
import struct
import subprocess
import sys
import threading
import time

import pytest

from first_occupancy.web.server import listen


@pytest.fixture
def port():
    """The port of a lab that is served by this process."""
    with listen(0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def asked(port, *headers, path="/", method="GET"):
    """Return the answer to a request with exactly these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


HOSTS = ("127.0.0.1", "localhost", "LocalHost", "[::1]", "127.0.0.1:8000", "localhost:1", "[::1]:9")


@pytest.mark.parametrize("host", HOSTS)
def test_its_own_names_are_answered_at_any_port(port, host):
    answer, content = asked(port, ("Host", host))
    assert answer.status == 200
    assert b"First-occupancy lab" in content


FOREIGN = (
    ["evil.example"],
    ["evil.example:80"],
    ["127.0.0.1.evil.example"],
    ["localhost.evil.example:8000"],
    ["evil@localhost"],
    ["localhost:80:80"],
    ["localhost:evil"],
    ["10.0.0.1"],
    [""],
    [],
    ["localhost", "evil.example"],
)


@pytest.mark.parametrize("hosts", FOREIGN, ids=str)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_foreign_name_that_was_pointed_here_gets_nothing(port, hosts, method):
    answer, content = asked(port, *(("Host", host) for host in hosts), method=method)
    assert answer.status == 421
    assert b"First-occupancy lab" not in content


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost:8000", "http://localhost:8001", ""]
)
def test_requests_of_foreign_pages_are_refused(port, origin):
    assert asked(port, ("Host", "localhost:8000"), ("Origin", origin))[0].status == 403


def test_requests_of_its_own_page_are_answered(port):
    own = ("Host", "localhost:8000"), ("Origin", "http://localhost:8000")
    assert asked(port, *own, path="/main.js")[0].status == 200
    assert asked(port, *own, ("Origin", "http://evil.example"))[0].status == 403


BODIES = (
    [("Content-Length", "9")],
    [("Content-Length", "0"), ("Content-Length", "9")],
    [("Transfer-Encoding", "chunked")],
)


@pytest.mark.parametrize("headers", BODIES, ids=str)
def test_a_request_with_a_body_is_refused_and_its_body_is_no_second_request(port, headers):
    answer, _ = asked(port, ("Host", "localhost"), *headers)
    assert (answer.status, answer.headers["Connection"]) == (413, "close")


LONG = "a" * 70_000


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ({}, 200),
        ({"path": "/worker.js"}, 200),
        ({"path": "/engine/simd.js"}, 200),
        ({"path": "/no.js"}, 404),
        ({"path": "/../pyproject.toml"}, 404),
        ({"path": "/" + LONG}, 414),
        ({"method": "POST"}, 501),
        ({"method": "OPTIONS"}, 501),
    ],
    ids=str,
)
def test_every_answer_says_what_the_page_may_load(port, how, status):
    answer, _ = asked(port, ("Host", "localhost"), **how)
    assert answer.status == status
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'"} < set(policy)
    assert {"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} < set(policy)
    assert not [part for part in policy if "unsafe-inline" in part or " 'unsafe-eval'" in part]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_too_many_or_too_long_headers_are_refused(port):
    assert asked(port, ("Host", "localhost"), ("X-Long", LONG))[0].status == 431
    many = [(f"X-{number}", "1") for number in range(200)]
    assert asked(port, ("Host", "localhost"), *many)[0].status == 431


SERVE = """
from first_occupancy.web.server import serve

serve(0, open_browser=False)
"""


def test_clients_that_leave_are_passed_over_in_silence():
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as lab:
        assert lab.stdout is not None
        port = int(lab.stdout.readline().split()[4].rstrip("/").rpartition(":")[2])
        for name in ("", "main.js", "index.html") * 8:
            leave(port, f"GET /{name} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 40)
        assert asked(port, ("Host", "localhost"))[0].status == 200
        lab.terminate()
        _, said = lab.communicate(timeout=60)
    assert said == ""


def leave(port, request):
    """Ask for much, and reset the connection before it comes."""
    client = socket.create_connection(("127.0.0.1", port))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.sendall(request)
    time.sleep(0.02)
    client.close()
