"""Sweeps through the Python interface: their rows, and what they survive."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy.experiments.registry import experiment
from first_occupancy.sweeps import Here, Processes, grid, sweep
from first_occupancy.sweeps.chunks import Finished, Outcome, Task, run_chunk
from first_occupancy.sweeps.dependencies import code_version
from first_occupancy.sweeps.jobs import Job
from first_occupancy.sweeps.runner import JobFailedError, JobRefusedError, run_jobs
from first_occupancy.sweeps.store import Store
from first_occupancy.sweeps.workers import Died, Done, Joined
from short_trials import TRIALS, Config

PATIENCE = 120
"""Seconds; far more than anything here takes, and less than for ever."""


def stored(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / "results").rglob("*.jsonl")}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return where trials leave a line, and look for what to do; see `short_trials`."""
    path = tmp_path / "trials"
    path.mkdir()
    monkeypatch.setenv("TRIALS_FOLDER", str(path))
    return path


def runs(folder: Path) -> Counter[int]:
    lines = (folder / "runs").read_text().splitlines()
    return Counter(int(line.split()[0]) for line in lines)


def test_rows_come_with_config_and_seed_in_order_and_are_run_once(folder, tmp_path):
    configs = grid(TRIALS, kind=["sums"], size=[1, 2])
    rows = sweep(TRIALS, configs, [3, 4], out=tmp_path, workers=Here())
    seen = [(row["config"]["size"], row["seed"], row["row"]["number"]) for row in rows]
    assert seen == [(1, 3, 0), (1, 4, 0), (2, 3, 0), (2, 3, 1), (2, 4, 0), (2, 4, 1)]
    assert rows[1]["row"] == {"number": 0, "third": 4 / 3 * 0.5}
    assert sweep(TRIALS, configs, [3, 4], out=tmp_path, workers=Here()) == rows
    assert runs(folder) == {3: 2, 4: 2}


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
    assert reports == ["a worker died (exit code -9); what it was at runs again"] * 4
    assert (runs(folder)[0], runs(folder)[8]) == (3, 2)


def test_workers_leave_when_the_process_that_hands_out_is_killed(folder, tmp_path):
    (folder / "hold").touch()
    script = (
        "from short_trials import *\n"
        "from first_occupancy.sweeps import *\n"
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


def test_one_that_raises_does_not_stop_the_others(tmp_path):
    with pytest.raises(JobFailedError, match="RuntimeError: broke at 1, and 1 more") as failure:
        sweep(TRIALS, [Config("broken")], range(4), out=tmp_path, workers=Here())
    assert "in run" in failure.value.__notes__[0]
    assert len(stored(tmp_path)) == 2


def test_one_that_would_leave_does_not_take_the_others_with_it(tmp_path):
    def leaves(config, seed):
        if seed == 1:
            sys.exit("no licence")
        yield {"number": seed}

    leaving = replace(TRIALS, run=leaves)
    with pytest.raises(JobFailedError, match=r"seed 1: SystemExit: no licence; all others are"):
        sweep(leaving, [Config("sums")], range(3), out=tmp_path, workers=Here())
    assert len(stored(tmp_path)) == 2


def test_one_that_breaks_is_told_of_before_those_that_are_refused(tmp_path):
    expected = "seed 1: RuntimeError: broke at 1, and 3 more failed\n"
    with pytest.raises(JobFailedError, match=expected) as failure:
        sweep(TRIALS, [Config("broken", share=-1)], range(4), out=tmp_path, workers=Here())
    assert not isinstance(failure.value, InputError)
    configs = [Config("sums"), Config("sums", share=-1)]
    expected = "seed 0: short_trials: share must not be negative, got -1; all others are stored"
    with pytest.raises(JobRefusedError) as refusal:
        sweep(TRIALS, configs, [0], out=tmp_path, workers=Here())
    assert isinstance(refusal.value, InputError)
    assert str(refusal.value).endswith(expected)
    (trace,) = refusal.value.__notes__  # not shown at the command line
    assert "in run" in trace


class Odd(Here):
    """Workers of which every one does the same odd thing."""

    def __init__(self, event):
        super().__init__()
        self.event = event

    def wait(self):
        event = super().wait()
        return event if isinstance(event, Joined) else self.event(event)


def test_rows_of_other_code_are_refused(tmp_path):
    def elsewhere(event: Done) -> Done:
        (result,) = event.outcome.results
        other = Finished(result.lines, {**result.code, "code": "other"})
        return Done(0, Outcome((other,), 0.1, "far"))

    expected = r"sweep: the worker on far must run the same code as this process, \w+ with jax .*, "
    with pytest.raises(InputError, match=expected + r"got other with jax"):
        sweep(TRIALS, [Config("sums")], [0], out=tmp_path, workers=Odd(elsewhere))
    assert stored(tmp_path) == {}


def test_workers_that_never_get_anywhere_are_given_up(tmp_path):
    class Stillborn(Here):
        def wait(self):
            return Died(0, "no such library")

    with pytest.raises(JobFailedError, match=r"9 workers in a row died .*: no such library$"):
        sweep(TRIALS, [Config("sums")], range(5), out=tmp_path, workers=Stillborn())


def test_what_cannot_travel_is_refused_with_a_reason(tmp_path):
    local = replace(TRIALS, run=lambda config, seed: iter(()))
    expected = "sweep: 'run' and the config .* must stand at the top level of a module, got: "
    with pytest.raises(InputError, match=expected):
        sweep(local, [Config("sums")], range(2), out=tmp_path, workers=Processes(1))


def test_a_chunk_ends_when_its_time_is_over(monkeypatch):
    monkeypatch.setattr("first_occupancy.sweeps.chunks.CHUNK_SECONDS", 0.05)
    task = Task(TRIALS.run, Config("sums", seconds=0.03), 0)
    code_version(TRIALS.run)  # read once per process, and not what is timed here
    assert len(run_chunk((task,) * 10).results) == 2


def test_kept_rows_and_empty_sweeps_are_refused(tmp_path):
    jaco = experiment("jaco_reaching")
    expected = "sweep: jaco_reaching takes too long for a sweep and its rows are kept with"
    with pytest.raises(InputError, match=expected):
        sweep(jaco, [], [0], out=tmp_path)
    with pytest.raises(InputError, match="needs at least one config and one seed, got none"):
        sweep(TRIALS, [Config("sums")], [], out=tmp_path)


@pytest.mark.parametrize(
    ("configs", "seeds", "message"),
    [
        (Config("sums"), [0], "configs must be several, as in a list, got Config"),
        ([{"kind": "sums"}], [0], "configs must be dataclasses, as `grid` makes them, got {'kind"),
        ([Config("sums", share=np.nan)], [0], "configs must hold numbers that are finite, .* JSON"),
        ([Config(Path("sums"))], [0], r"configs must hold .*, got .*Path\(.* PosixPath is not"),
        ([Config("sums")], 5, "seeds must be several, as in a list, got 5"),
        ([Config("sums")], [0.5], "seeds must be whole numbers, got 0.5"),
    ],
)
@pytest.mark.usefixtures("as_users_run_it")
def test_what_is_no_sweep_is_said_before_anything_runs(tmp_path, configs, seeds, message):
    with pytest.raises(InputError, match=message):
        sweep(TRIALS, configs, seeds, out=tmp_path, workers=Here())


def test_precision_is_the_same_whoever_runs_a_job(tmp_path):
    def precision(config, seed):
        yield {"type": str(jnp.ones(()).dtype)}

    with jax.enable_x64(False):  # as in a script that says nothing of it
        asked = replace(TRIALS, run=precision)
        rows = sweep(asked, [Config("sums")], [0], out=tmp_path)
        assert str(jnp.ones(()).dtype) == "float32"
    assert [row["row"] for row in rows] == [{"type": "float64"}]  # as processes do


def test_seeds_may_be_numpys(tmp_path):
    rows = sweep(TRIALS, [Config("sums")], np.arange(2), out=tmp_path, workers=Here())
    assert {row["seed"] for row in rows} == {0, 1}
    assert all(type(row["seed"]) is int for row in rows)


def run_in(path: Path):
    """Return a function that says it stands in a file."""
    namespace: dict = {}
    exec(compile("def run(config, seed): ...", str(path), "exec"), namespace)
    return namespace["run"]


@pytest.mark.parametrize(
    "run", [partial(TRIALS.run), run_in(Path("<stdin>")), run_in(Path("/no/such/cell.py"))]
)
def test_code_that_is_in_no_file_is_refused(tmp_path, run):
    expected = "sweep: 'run' of an experiment must be a function in a file, so that a change"
    with pytest.raises(InputError, match=expected):
        sweep(replace(TRIALS, run=run), [Config("sums")], [0], out=tmp_path, workers=Here())
    assert not list(tmp_path.iterdir())


EDITED = """
def run(config, seed):
    with open(__file__, "a") as file:
        file.write("# another line\\n")
    yield {"number": seed}
"""


def test_rows_do_not_count_as_those_of_code_that_was_edited_while_they_were_made(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text(EDITED)
    namespace: dict = {"__file__": str(path)}
    exec(compile(EDITED, str(path), "exec"), namespace)
    job = Job(replace(TRIALS, run=namespace["run"]), Config("sums"), 0)
    store = Store(tmp_path / "results")
    assert list(run_jobs([job], store, Here())) == [job]
    code_version.cache_clear()  # as in the next process
    assert not store.is_finished(job)


def test_jobs_that_are_stored_are_yielded_only_when_safe(tmp_path):
    jobs = [Job(TRIALS, Config("sums"), seed) for seed in range(30)]
    store = Store(tmp_path)
    safe = [(job.seed, store.is_finished(job)) for job in run_jobs(jobs, store, Here())]
    assert sorted(safe) == [(seed, True) for seed in range(30)]
