"""Chunks of tasks: how long they take, and what cannot travel."""

from dataclasses import replace

import pytest

from first_occupancy.core.errors import InputError
from first_occupancy.sweeps import Processes, sweep
from first_occupancy.sweeps.chunks import Task, run_chunk
from short_trials import TRIALS, Config


def test_what_cannot_travel_is_refused_with_a_reason(tmp_path):
    local = replace(TRIALS, run=lambda config, seed: iter(()))
    expected = "sweep: 'run' and the config .* must stand at the top level of a module, got: "
    with pytest.raises(InputError, match=expected):
        sweep(local, [Config("sums")], range(2), out=tmp_path, workers=Processes(1))


def test_a_chunk_ends_when_its_time_is_over(monkeypatch):
    monkeypatch.setattr("first_occupancy.sweeps.chunks.CHUNK_SECONDS", 0.05)
    task = Task(TRIALS.run, Config("sums", seconds=0.03), 0)
    assert len(run_chunk((task,) * 10).results) == 2
