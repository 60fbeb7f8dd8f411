"""Sweeps through the Python interface: their rows, and what they survive."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments.registry import experiment
from first_occupancy_paper.sweeps import Here, grid, sweep
from short_trials import TRIALS, Config, runs


def test_rows_come_with_config_and_seed_in_order_and_are_run_once(folder, tmp_path):
    configs = grid(TRIALS, kind=["sums"], size=[1, 2])
    rows = sweep(TRIALS, configs, [3, 4], out=tmp_path, workers=Here())
    seen = [(row["config"]["size"], row["seed"], row["row"]["number"]) for row in rows]
    assert seen == [(1, 3, 0), (1, 4, 0), (2, 3, 0), (2, 3, 1), (2, 4, 0), (2, 4, 1)]
    assert rows[1]["row"] == {"number": 0, "third": 4 / 3 * 0.5}
    assert sweep(TRIALS, configs, [3, 4], out=tmp_path, workers=Here()) == rows
    assert runs(folder) == {3: 2, 4: 2}


def test_kept_rows_and_empty_sweeps_are_refused(tmp_path):
    jaco = experiment("jaco_reaching")
    expected = "sweep: jaco_reaching takes too long for a sweep, and its rows are kept with"
    with pytest.raises(InputError, match=expected):
        sweep(jaco, [], [0], out=tmp_path)
    with pytest.raises(InputError, match="needs at least one config and one seed, got none"):
        sweep(TRIALS, [Config("sums")], [], out=tmp_path)


@pytest.mark.parametrize(
    ("configs", "seeds", "message"),
    [
        (Config("sums"), [0], "configs must be a list or another iterable, got Config"),
        ([{"kind": "sums"}], [0], "configs must be dataclasses, as `grid` makes them, got {'kind"),
        ([Config("sums", share=np.nan)], [0], "configs must hold only finite numbers, .* JSON"),
        ([Config(Path("sums"))], [0], r"configs must hold .*, got .*Path\(.* PosixPath is not"),
        ([Config("sums")], 5, "seeds must be a list or another iterable, got 5"),
        ([Config("sums")], [0.5], "seeds must be whole numbers, got 0.5"),
    ],
)
@pytest.mark.usefixtures("as_users_run_it")
def test_what_is_no_sweep_is_said_before_anything_runs(tmp_path, configs, seeds, message):
    with pytest.raises(InputError, match=message):
        sweep(TRIALS, configs, seeds, out=tmp_path, workers=Here())


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
    expected = "sweep: 'run' of an experiment must be a function in a file, so that changes"
    with pytest.raises(InputError, match=expected):
        sweep(replace(TRIALS, run=run), [Config("sums")], [0], out=tmp_path, workers=Here())
    assert not list(tmp_path.iterdir())
