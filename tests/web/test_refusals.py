"""What the server refuses, and how it says so."""

import asyncio
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from first_occupancy.core.install_hints import install_command
from first_occupancy.web.guard import MOST_BYTES
from first_occupancy.web.work import AnswerThreads, SupersededError

SCENE = {"drawing": ["S.G"]}


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil@127.0.0.1", "", "["]
)
def test_foreign_hosts_are_refused(lab, host):
    response = lab.get("/", headers={"host": host})
    assert response.status_code in (400, 403)
    if response.status_code == 403:
        assert response.json()["detail"] == (
            f"The lab answers on 127.0.0.1 and localhost only, not as {host!r}."
        )


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1"])
def test_foreign_origins_are_refused(lab, origin):
    response = lab.post("/api/plan", json={"scene": SCENE}, headers={"origin": origin})
    assert response.status_code == 403
    assert response.json()["detail"] == (
        f"The lab answers its own page only, not one from {origin!r}."
    )


def test_the_own_page_is_answered(lab, address):
    response = lab.post("/api/plan", json={"scene": SCENE}, headers={"origin": address})
    assert response.status_code == 200
    assert "access-control-allow-origin" not in response.headers
    assert "default-src 'self'" in response.headers["content-security-policy"]


def in_parts():
    for _ in range(MOST_BYTES // 1024 + 2):
        yield b" " * 1024


@pytest.mark.parametrize(
    "content", [b" " * (MOST_BYTES + 1), in_parts()], ids=["at once", "in parts"]
)
def test_large_requests_are_refused(lab, content):
    response = lab.post("/api/plan", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert response.json()["detail"] == "The request must have at most 65,536 bytes."


@pytest.mark.parametrize(
    ("scene", "complaint"),
    [
        ({}, "scene.drawing: Field required"),
        (
            {"drawing": ["S"] * 61},
            "scene.drawing: List should have at most 60 items after validation",
        ),
        ({"drawing": ["S" * 61]}, "scene.drawing.0: String should match pattern"),
        ({"drawing": ["x"]}, "scene.drawing.0: String should match pattern"),
        (
            {"drawing": ["S"], "discount": 1},
            "scene.discount: Input should be less than or equal to 0.999",
        ),
        (
            {"drawing": ["S"], "noise": -0.1},
            "scene.noise: Input should be greater than or equal to 0",
        ),
        ({"drawing": ["S"], "moves": 5}, "scene.moves: Input should be 4 or 8"),
        (
            {"drawing": ["S"], "drawn": [{"usual": "up"}] * 9},
            "scene.drawn: List should have at most 8",
        ),
        ({"drawing": ["S"], "extra": 1}, "scene.extra: Extra inputs are not permitted"),
    ],
)
def test_malformed_scenes_are_refused(lab, scene, complaint):
    response = lab.post("/api/plan", json={"scene": scene})
    assert response.status_code == 422
    assert response.json()["detail"].startswith(complaint)


def test_what_is_not_json_is_refused(lab):
    response = lab.post("/api/plan", content=b"{", headers={"content-type": "application/json"})
    assert response.status_code == 422
    assert list(response.json()) == ["detail"]


@pytest.mark.parametrize(
    "path", ["/../app.py", "/%2e%2e/app.py", "/static/../app.py", "//etc/passwd", "/docs"]
)
def test_nothing_but_the_page_can_be_read(lab, address, path):
    # Straight to the socket: clients tidy such paths up.
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
        )
        assert connection.makefile("rb").readline() == b"HTTP/1.1 404 Not Found\r\n"


def test_nothing_can_be_written(lab):
    for method in ("PUT", "DELETE", "PATCH"):
        assert lab.request(method, "/style.css").status_code == 405


def run(coroutine):
    """Run in a thread of its own, because the browser's driver has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def test_a_newer_question_of_the_same_page_stops_the_older_one():
    stopped, begun = [], threading.Event()

    def slow(step):
        begun.set()
        for _ in range(500):
            try:
                step()
            except SupersededError:
                stopped.append(True)
                raise
            time.sleep(0.01)

    async def here():
        return False

    async def both():
        workers = AnswerThreads(threads=1)
        ask = SimpleNamespace(page="a", kind="plan", is_gone=here).__dict__
        older = asyncio.create_task(workers.answer(slow, **ask))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        other = asyncio.create_task(workers.answer(lambda step: "other", **ask | {"page": "b"}))
        newer = await workers.answer(lambda step: "new", **ask)
        with pytest.raises(SupersededError):
            await older
        workers.close()
        return newer, await other

    assert run(both()) == ("new", "other")
    assert stopped


def test_a_page_that_is_gone_stops_its_question():
    def slow(step):
        for _ in range(500):
            step()
            time.sleep(0.01)

    async def gone():
        return True

    async def one():
        workers = AnswerThreads()
        try:
            await workers.answer(slow, page=None, kind="plan", is_gone=gone)
        finally:
            workers.close()

    with pytest.raises(SupersededError):
        run(one())


def run_lab(
    *options,
    code="from first_occupancy.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))",
):
    return subprocess.run(
        [sys.executable, "-c", code, "lab", "--no-browser", *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_port_that_is_taken_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run_lab("--port", str(port))
    assert result.returncode == 2
    assert result.stderr == (
        f"first-occupancy lab: port {port} must be free, but: Address already in use; "
        "choose another with --port, or 0 for any\n"
    )


def test_without_the_extra_it_says_what_to_install():
    code = (
        "import sys; sys.modules['fastapi'] = None\n"
        "from first_occupancy.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    result = run_lab(code=code)
    assert result.returncode == 2
    assert result.stderr == (
        "first-occupancy lab: needs the package fastapi; "
        f"install it with: {install_command('web')}\n"
    )
