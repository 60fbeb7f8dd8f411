"""Worker processes that are killed, and those whose driver is."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from first_occupancy_paper.sweeps import Here, Processes, grid, sweep
from first_occupancy_paper.sweeps.runner import JobFailedError
from short_trials import TRIALS, runs, stored

PATIENCE = 120
"""Seconds; far more than anything here takes, and less than for ever."""


@pytest.mark.whole
def test_workers_that_are_killed_are_replaced_and_the_bytes_are_the_same(folder, tmp_path):
    configs, seeds = grid(TRIALS, kind=["broken"]), range(40)
    with pytest.raises(JobFailedError, match="seed 1: RuntimeError: broke at 1, and 19 more"):
        sweep(TRIALS, configs, seeds, out=tmp_path / "here", workers=Here())
    here = stored(tmp_path / "here")
    (folder / "runs").unlink()
    (folder / "0-dies").touch()
    (folder / "8-dies-once").touch()
    reports: list[str] = []
    out, workers = tmp_path / "two", Processes(2)
    expected = "seed 0: its worker died 3 times, the last time with: exit code -9, and 20 more"
    with pytest.raises(JobFailedError, match=expected):
        sweep(TRIALS, configs, seeds, out=out, workers=workers, report=reports.append)
    assert stored(out) == {
        name: rows for name, rows in here.items() if not name.endswith("-0.jsonl")
    }
    assert len(stored(out)) == 19
    assert reports == ["a worker died (exit code -9); its jobs will run again"] * 4
    assert (runs(folder)[0], runs(folder)[8]) == (3, 2)


def test_workers_leave_when_the_process_that_hands_out_is_killed(folder, tmp_path):
    (folder / "hold").touch()
    script = (
        "from short_trials import *\n"
        "from first_occupancy_paper.sweeps import *\n"
        "if __name__ == '__main__':\n"
        f"    sweep(TRIALS, grid(TRIALS, kind=['sums']), [100, 101], out={str(tmp_path)!r},"
        " workers=Processes(1))\n"
    )
    (tmp_path / "script.py").write_text(script)
    path = os.pathsep.join([str(Path(__file__).parents[1] / "support"), *sys.path])
    driver = subprocess.Popen(
        [sys.executable, str(tmp_path / "script.py")], env={**os.environ, "PYTHONPATH": path}
    )
    give_up = time.monotonic() + PATIENCE
    while not (folder / "runs").exists() and time.monotonic() < give_up:
        time.sleep(0.01)
    worker = int((folder / "runs").read_text().split()[1])
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    while is_running(worker) and time.monotonic() < give_up:
        time.sleep(0.01)
    assert not is_running(worker)
    assert stored(tmp_path) == {}


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().split()[2] != "Z"
