"""Killed at any moment, a run loses no finished job and ends with the same bytes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

NAMES = ("shorter_paths", "planning_in_a_room")
PATIENCE = 240
"""Seconds; far more than the few these runs take, and less than for ever."""


@pytest.fixture(scope="module", autouse=True)
def compiled_once(tmp_path_factory):
    """Share what is compiled: each process here runs the same programs, mostly compiling them."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path_factory.mktemp("compiled")))
        environment.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
        environment.setenv("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
        yield


def start(out: Path, *options: str) -> subprocess.Popen:
    """Start a reproduction in a process group of its own, so that all of it can be killed."""
    command = [sys.executable, "-m", "first_occupancy.cli.main", "reproduce", *NAMES]
    return subprocess.Popen(
        [*command, "--quick", "--out", str(out), *options],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen) -> str:
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    return errors


def stored(out: Path) -> dict[str, bytes]:
    results = out / "quick" / "results"
    return {str(p.relative_to(results)): p.read_bytes() for p in results.rglob("*.jsonl")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed")
    finish(start(out, "--jobs", "1"))
    return out


def test_killed_after_the_first_job_it_goes_on_with_the_second(undisturbed, tmp_path):
    process = start(tmp_path, "--jobs", "1")
    give_up = time.monotonic() + PATIENCE
    while not stored(tmp_path) and time.monotonic() < give_up:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    finished = stored(tmp_path)
    results = tmp_path / "quick" / "results"
    times = {name: (results / name).stat().st_mtime_ns for name in finished}
    assert finished
    finish(start(tmp_path, "--jobs", "1"))
    assert stored(tmp_path) == stored(undisturbed)
    for name, written in times.items():
        assert (results / name).stat().st_mtime_ns == written
    pages = [out / "quick" / "ledger.html" for out in (tmp_path, undisturbed)]
    assert pages[0].read_bytes() == pages[1].read_bytes()


@pytest.mark.parametrize("delay", [0.5, 2.0])
def test_killed_while_several_processes_work_it_ends_with_the_same_bytes(
    undisturbed, tmp_path, delay
):
    process = start(tmp_path, "--jobs", "2")
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    finish(start(tmp_path, "--jobs", "2"))
    assert stored(tmp_path) == stored(undisturbed)


def test_what_is_stored_is_not_run_again(undisturbed):
    before = {p: p.stat().st_mtime_ns for p in undisturbed.rglob("*.jsonl")}
    assert "done:" not in finish(start(undisturbed))
    assert {p: p.stat().st_mtime_ns for p in undisturbed.rglob("*.jsonl")} == before
