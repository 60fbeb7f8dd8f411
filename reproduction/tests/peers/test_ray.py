"""Sweeps on a real Ray: two nodes of one CPU each, on the loopback device of this machine."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from first_occupancy_paper.experiments.registry import experiment
from first_occupancy_paper.sweeps import Here, grid, sweep
from short_trials import HELD, TRIALS

PATIENCE = 120
"""Seconds; far more than anything here takes, and less than for ever."""

LOOPBACK = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # where there are none, Ray keeps to the loopback
    "PYTHONPATH": os.pathsep.join(
        [str(Path(__file__).parents[1] / "support"), os.environ.get("PYTHONPATH", "")]
    ),
}
SWEEP = [sys.executable, "-m", "first_occupancy.cli.main", "sweep", "--on", "ray"]
CLUSTER = """
import sys
from ray.cluster_utils import Cluster
options = dict(num_cpus=1, object_store_memory=80 * 2**20)
cluster = Cluster(initialize_head=True, head_node_args=dict(include_dashboard=False, **options))
print(cluster.address, flush=True)
sys.stdin.readline()
cluster.add_node(**options)
print("added", flush=True)
sys.stdin.read()
cluster.shutdown()
"""
INITIALISED = """
import logging
import sys
import ray
from first_occupancy.core.errors import InputError
from first_occupancy_paper.sweeps import RayWorkers
ray.init(sys.argv[1], log_to_driver=False, logging_level=logging.ERROR)
for address in (None, sys.argv[1]):
    workers = RayWorkers(address, number=1)
    try:
        print(workers.start(1))
    except InputError as error:
        print(error)
    workers.stop()
    assert ray.is_initialized()
"""
NUM_TRIALS = 2 * HELD
SECONDS = 0.02


class Cluster:
    """A cluster of one node, to which another can be added, and the trials that it runs."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = {**os.environ, **LOOPBACK, "TRIALS_FOLDER": str(folder)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLUSTER],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self.process.stdout.readline().strip()
        self.num_nodes = 1

    def add_node(self) -> None:
        """Have two nodes from now on."""
        if self.num_nodes == 1:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline() == "added\n"
        self.num_nodes = 2

    def start(self, out: Path) -> subprocess.Popen:
        """Start a sweep of all trials on the cluster."""
        what = ["--from", "short_trials", "--set", "kind=sums", f"seconds={SECONDS}"]
        where = ["--address", self.address, "--out", str(out)]
        return subprocess.Popen(
            [*SWEEP, *what, "--seeds", str(NUM_TRIALS), *where],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def runs(self) -> list[tuple[int, int]]:
        """Return the seed of each trial that was begun, and the process."""
        path = self.folder / "runs"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(int(seed), int(process)) for seed, process in map(str.split, lines)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    started = Cluster(tmp_path_factory.mktemp("trials"))
    yield started
    started.process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("undisturbed")
    configs = grid(TRIALS, kind=["sums"], seconds=[SECONDS])
    sweep(TRIALS, configs, range(NUM_TRIALS), out=out, workers=Here())
    return stored(out)


def stored(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / "results").rglob("*.jsonl")}


def times(out: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (out / "results").rglob("*.jsonl")}


def seed_of(name: str) -> int:
    return int(Path(name).stem.split("-")[1])


def wait_until(what: Callable[[], object], sweeping: subprocess.Popen) -> None:
    give_up = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < give_up
        assert sweeping.poll() is None, sweeping.stderr.read()
        time.sleep(0.005)


def finish(sweeping: subprocess.Popen) -> str:
    _, errors = sweeping.communicate(timeout=PATIENCE)
    assert sweeping.returncode == 0, errors
    return errors


def test_it_uses_nodes_that_join_and_outlives_a_worker_that_is_killed(
    cluster, undisturbed, tmp_path
):
    (cluster.folder / "runs").unlink(missing_ok=True)
    (cluster.folder / "hold").touch()
    sweeping = cluster.start(tmp_path)
    wait_until(lambda: stored(tmp_path), sweeping)
    cluster.add_node()
    wait_until(lambda: len({process for _, process in cluster.runs()}) == 2, sweeping)
    safe = times(tmp_path)
    victim = cluster.runs()[-1][1]
    os.kill(victim, signal.SIGKILL)
    (cluster.folder / "hold").unlink()
    assert "a worker died" in finish(sweeping)
    assert stored(tmp_path) == undisturbed
    runs = Counter(seed for seed, _ in cluster.runs())
    assert all(runs[seed_of(name)] == 1 for name in safe)
    assert {name: time for name, time in times(tmp_path).items() if name in safe} == safe
    at_death = [seed for seed, process in cluster.runs() if process == victim][-1]
    assert runs[at_death] == 2


def test_killed_itself_it_goes_on_and_ends_with_the_same_bytes(cluster, undisturbed, tmp_path):
    cluster.add_node()
    (cluster.folder / "runs").unlink(missing_ok=True)
    sweeping = cluster.start(tmp_path)
    wait_until(lambda: len(stored(tmp_path)) > 20, sweeping)
    sweeping.kill()
    sweeping.communicate()
    safe = times(tmp_path)
    assert 20 < len(safe) < NUM_TRIALS
    finish(cluster.start(tmp_path))
    assert stored(tmp_path) == undisturbed
    runs = Counter(seed for seed, _ in cluster.runs())
    assert all(runs[seed_of(name)] == 1 for name in safe)
    assert {name: time for name, time in times(tmp_path).items() if name in safe} == safe


def test_an_experiment_of_the_paper_gives_the_same_bytes_as_here(cluster, tmp_path):
    chosen = experiment("planning_in_a_room")
    options = ["--set", "discount=0.8,0.9", "--jobs", "1", "--out", str(tmp_path / "ray")]
    environment = {**cluster.environment, "RAY_ADDRESS": cluster.address}
    subprocess.run([*SWEEP, chosen.name, *options], env=environment, check=True)
    configs = grid(chosen, discount=[0.8, 0.9])
    sweep(chosen, configs, [0], out=tmp_path / "here", workers=Here())
    assert stored(tmp_path / "ray") == stored(tmp_path / "here")
    assert len(stored(tmp_path / "here")) == 2


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:1"])
def test_where_nobody_answers_it_says_so_soon(cluster, tmp_path, address):
    command = [*SWEEP, "shorter_paths", "--address", address, "--out", str(tmp_path)]
    sweeping = subprocess.run(
        command, env=cluster.environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert sweeping.returncode == 2
    assert f"RayWorkers: no Ray cluster at {address}: " in sweeping.stderr.splitlines()[-1]


def test_where_ray_is_initialised_already_its_cluster_is_used(cluster):
    running = subprocess.run(
        [sys.executable, "-c", INITIALISED, cluster.address],
        env=cluster.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    refusal = (
        "RayWorkers: address must be left out where Ray is initialised in this process, "
        f"got {cluster.address}; omit it, or call ray.shutdown() first"
    )
    assert running.stdout.splitlines() == ["1", refusal], running.stderr
