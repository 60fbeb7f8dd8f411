"""Jobs: one experiment with one config and one seed, and the id it is stored under."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import first_occupancy
from first_occupancy.experiments import Experiment

SEEDS_PER_RUN = 10_000
"""Room between the seeds of `--seed 0` and those of `--seed 1`."""

COMPUTING = ("core", "environments", "representations", "planning", "agents")
"""Packages whose code can change an experiment's numbers, besides its own folder."""


@dataclass(frozen=True)
class Job:
    """What one process can do without knowing of any other."""

    experiment: Experiment
    config: object
    seed: int

    @property
    def settings(self) -> dict[str, object]:
        """The config as plain data, as it is stored."""
        return json.loads(json.dumps(asdict(self.config), sort_keys=True))  # type: ignore

    @property
    def name(self) -> str:
        """The job's file name: same experiment, config and seed, same name."""
        text = json.dumps([self.experiment.name, self.settings], sort_keys=True)
        return f"{hashlib.sha256(text.encode()).hexdigest()[:12]}-{self.seed}"


def jobs_of(experiment: Experiment, *, quick: bool, seed: int) -> Iterator[Job]:
    """Yield the jobs of an experiment, at full size or small."""
    for config, num_seeds in experiment.settings(quick):
        for number in range(num_seeds):
            yield Job(experiment, config, seed * SEEDS_PER_RUN + number)


@cache
def code_version(experiment_name: str) -> str:
    """Return a hash of all code the experiment's rows depend on; plots are not among it."""
    root = Path(first_occupancy.__file__).parent
    folders = [root / name for name in COMPUTING] + [root / "experiments" / experiment_name]
    paths = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return _hash([path for path in paths if not path.name.startswith(("plot", "find"))], root)


@cache
def drawing_version(experiment_name: str) -> str:
    """Return a hash of all code the experiment's figures depend on, besides its rows."""
    root = Path(first_occupancy.__file__).parent
    folders = (root / "plotting", root / "environments", root / "experiments" / experiment_name)
    paths = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return _hash(paths, root)


def _hash(paths: Sequence[Path], root: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.relative_to(root).as_posix().encode())
        # Checkouts differ in line endings, the code does not.
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]
