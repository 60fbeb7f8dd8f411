"""Work that would not fit is refused before it starts."""

import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import eye_array

from first_occupancy.core import MDP, InputError, memory
from first_occupancy.environments import maze
from first_occupancy.planning.paths import plan_paths, prepare
from first_occupancy.representations import first_occupancy, successor


@pytest.fixture
def little(monkeypatch):
    """Leave a kilobyte free."""
    monkeypatch.setattr(memory, "on_host", lambda: 1024)
    monkeypatch.setattr(memory, "ALWAYS_FITS", 0)


@pytest.mark.parametrize(
    ("needed", "said"),
    [(3 * 2**30, "3.0 GiB"), (int(2.5 * 2**20), "2.5 MiB"), (2000, "0.0 MiB")],
)
@pytest.mark.parametrize("check", [memory.check_fits, memory.check_fits_on_host])
def test_the_refusal_says_what_is_needed_what_is_there_and_what_to_use(little, check, needed, said):
    with pytest.raises(InputError) as caught:
        check("solve", needed, instead="less")
    assert str(caught.value) == (
        f"solve: needs about {said} of memory, but 0.0 MiB are free; use less instead"
    )
    check("solve", 1024, instead="less")


PREPARED = prepare(np.zeros((2, 3000), int))

REFUSED = {
    "solve": (
        lambda: successor.solve(jnp.eye(8), discount=0.9),
        "solve: needs about 0.0 MiB of memory, but 0.0 MiB are free; use solve_columns, or "
        "plan_paths for deterministic policies, instead",
    ),
    "solve of a sparse chain": (
        lambda: first_occupancy.solve(eye_array(600, format="csr"), discount=0.9),
        "solve: needs about 11.0 MiB of memory, but 0.0 MiB are free; use solve_columns, or "
        "plan_paths for deterministic policies, instead",
    ),
    "solve_columns": (
        lambda: first_occupancy.solve_columns(np.eye(50), np.arange(50), discount=0.9),
        "solve_columns: needs about 0.1 MiB of memory, but 0.0 MiB are free; use fewer goals at "
        "a time instead",
    ),
    "MDP": (
        lambda: MDP(np.broadcast_to(0.01, (100, 2, 100))),
        "MDP: needs about 0.5 MiB of memory, but 0.0 MiB are free; use plan_paths, or "
        "solve_columns of a sparse chain, instead",
    ),
    "a maze's MDP": (
        lambda: maze("." * 40).mdp,
        "Maze.mdp: needs about 0.4 MiB of memory, but 0.0 MiB are free; use Maze.sparse_mdp, "
        "or fo.plan of the maze, instead",
    ),
    "paths": (
        lambda: prepare(np.zeros((2, 3000), int)),
        "prepare: needs about 0.1 MiB of memory, but 0.0 MiB are free; use fewer policies or a "
        "part of the world instead",
    ),
    "paths to be prepared": (
        lambda: plan_paths(np.zeros((2, 3000), int), 0, discount=0.9),
        "plan_paths: needs about 0.1 MiB of memory, but 0.0 MiB are free; use fewer policies or a "
        "part of the world instead",
    ),
    "paths that are prepared": (
        lambda: plan_paths(PREPARED, 0, discount=0.9, max_switches=1),
        "plan_paths: needs about 0.4 MiB of memory, but 0.0 MiB are free; use a part of the world "
        "instead",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_not_fit_is_refused(little, what):
    call, message = REFUSED[what]
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def test_the_computers_memory_is_neither_nothing_nor_endless():
    assert 2**26 < memory.on_host() < 2**50
    assert memory.where_jax_computes() < 2**50


def test_a_containers_limit_counts_and_its_cached_files_do_not(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_CONTROL_GROUPS", tmp_path)
    unlimited = memory.on_host()
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("3000\n")
    (tmp_path / "memory.stat").write_text("anon 2000\ninactive_file 700\n")
    assert memory.on_host() == 2700
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.on_host() > unlimited / 2
    older = tmp_path / "memory"
    older.mkdir()
    (older / "memory.limit_in_bytes").write_text("900\n")
    (older / "memory.usage_in_bytes").write_text("500\n")
    (older / "memory.stat").write_text("cache 1\n")
    assert memory.on_host() == 400


def test_a_device_with_memory_of_its_own_is_asked(monkeypatch):
    class Device:
        def memory_stats(self):
            return {"bytes_limit": 1000, "bytes_in_use": 300}

    monkeypatch.setattr(jax, "Device", Device)
    monkeypatch.setattr(jax, "local_devices", lambda: [Device()])
    assert memory.where_jax_computes() == 700
    with pytest.raises(InputError, match="use something smaller instead"):
        memory.check_fits("plan", 701, instead="something smaller")


def test_where_nothing_is_known_nothing_is_refused(monkeypatch, tmp_path):
    def unknown(*_):
        raise OSError

    monkeypatch.setattr(memory, "_CONTROL_GROUPS", tmp_path)
    monkeypatch.setattr(memory.Path, "read_text", unknown)
    monkeypatch.setattr(memory.os, "sysconf", unknown)
    assert memory.on_host() == sys.maxsize


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux to measure")
@pytest.mark.parametrize("precision", ["float64"])  # the script takes float32 too
def test_functions_take_no_more_memory_than_they_ask_for(precision):
    environment = os.environ | {
        "MALLOC_MMAP_THRESHOLD_": str(2**17),
        "MALLOC_TRIM_THRESHOLD_": str(2**17),
        # These programs run for longer than they take to compile.
        "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=1",
    }
    script = Path(__file__).parents[1] / "support" / "peak_memory.py"
    done = subprocess.run(
        [sys.executable, script, precision], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    measured = {}
    for line in done.stdout.splitlines():
        name, peak, asked = line.split(":")
        measured[name] = int(peak) / int(asked)
    assert len(measured) == 7
    # Threads, buffers and the like take some memory beside the arrays.
    assert {name: ratio for name, ratio in measured.items() if ratio > 1.1} == {}
    assert {name: ratio for name, ratio in measured.items() if ratio < 0.3} == {}
