"""The runner stores what is done, whatever else fails."""

import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments import Experiment, Row
from first_occupancy_paper.sweeps import store as store_module
from first_occupancy_paper.sweeps import sweep
from first_occupancy_paper.sweeps.chunks import Finished, Outcome
from first_occupancy_paper.sweeps.dependencies import code_version
from first_occupancy_paper.sweeps.jobs import Job
from first_occupancy_paper.sweeps.runner import (
    JobFailedError,
    JobRefusedError,
    run_jobs,
    unfinished,
)
from first_occupancy_paper.sweeps.store import Store, lines_of
from first_occupancy_paper.sweeps.workers import Died, Done, Here, Joined
from short_trials import TRIALS, Config, stored
from toy_experiment import TOY
from toy_experiment import Config as ToyConfig
from toy_experiment import run as run_toy


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


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def job():
    return Job(TOY, ToyConfig(), 7)


def test_finished_jobs_run_again_only_when_the_code_changes(store, job, monkeypatch):
    store.prepare([job])
    store.write([(job, lines_of(run_toy(job.config, job.seed)))])
    assert unfinished([job], store, print) == []
    monkeypatch.setattr(store_module, "code_version", lambda name: "other")
    assert unfinished([job], store, print) == [job]


def test_a_failing_job_stores_nothing(store):
    def fails(config: ToyConfig, seed: int) -> Iterator[Row]:
        yield {"number": 1}
        raise RuntimeError("broke")

    job = Job(Experiment(name="toy", config=ToyConfig, run=fails), ToyConfig(), 0)
    with pytest.raises(RuntimeError):
        list(run_jobs([job], store, Here()))
    assert not store.path(job).exists()
    assert list(store.path(job).parent.iterdir()) == []
