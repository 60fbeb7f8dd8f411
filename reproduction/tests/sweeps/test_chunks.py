"""Chunks of tasks: how long they take, and what cannot travel."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.sweeps import Processes, chunks, sweep
from first_occupancy_paper.sweeps.chunks import Task, run_chunk
from short_trials import TRIALS, Config


def test_what_cannot_travel_is_refused_with_a_reason(tmp_path):
    local = replace(TRIALS, run=lambda config, seed: iter(()))
    expected = "sweep: 'run' and the config .* must be at the top level of a module, got: "
    with pytest.raises(InputError, match=expected):
        sweep(local, [Config("sums")], range(2), out=tmp_path, workers=Processes(1))


def test_a_chunk_ends_when_its_time_is_over(monkeypatch):
    clock = SimpleNamespace(now=0.0, perf_counter=lambda: clock.now)
    monkeypatch.setattr(chunks, "time", clock)

    def takes_a_while(config, seed):
        clock.now += 0.6 * chunks.CHUNK_SECONDS
        yield {"seed": seed}

    tasks = tuple(Task(takes_a_while, Config("sums"), seed) for seed in range(10))
    outcome = run_chunk(tasks)
    assert len(outcome.results) == 2
    assert outcome.seconds == 1.2 * chunks.CHUNK_SECONDS
