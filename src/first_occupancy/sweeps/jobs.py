"""Jobs: one experiment with one config and one seed, and the id it is stored under."""

import hashlib
import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path

import first_occupancy
from first_occupancy.core.errors import InputError
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

    @cached_property
    def settings(self) -> dict[str, object]:
        """The config as plain data, as it is stored; what would not come back is refused."""
        try:
            text = json.dumps(asdict(self.config), sort_keys=True, allow_nan=False)  # type: ignore
        except (TypeError, ValueError) as error:
            raise InputError(
                "sweep: configs must hold numbers that are finite, texts, true or false, none, and "
                f"tuples of them, got {self.config!r}: {error}"
            ) from None
        return json.loads(text)

    @cached_property
    def name(self) -> str:
        """The job's file name: same experiment, config and seed, same name."""
        text = json.dumps([self.experiment.name, self.settings], sort_keys=True)
        return f"{hashlib.sha256(text.encode()).hexdigest()[:12]}-{self.seed}"


def jobs_of(experiment: Experiment, *, quick: bool, seed: int) -> Iterator[Job]:
    """Yield the jobs of an experiment, at full size or small."""
    for config, num_seeds in experiment.settings(quick):
        for number in range(num_seeds):
            yield Job(experiment, config, seed * SEEDS_PER_RUN + number)


ROOT = Path(first_occupancy.__file__).resolve().parent


@cache
def code_version(run: Callable) -> str:
    """Return a hash of all code that the rows of an experiment's `run` depend on; not of plots.

    That is our computing code and the experiment's own: its folder where that is a package,
    else the file that `run` is in. What it imports from elsewhere is not looked at.
    """
    files = [(path, ROOT) for name in COMPUTING for path in (ROOT / name).rglob("*.py")]
    return _hash([*files, *_own_code(run)])


def _own_code(run: Callable) -> list[tuple[Path, Path]]:
    """Return the files of the experiment that `run` belongs to, each with the folder to name."""
    source = _source(run)
    folder = source.parent
    if not (folder / "__init__.py").exists():
        return [(source, folder)]
    above = ROOT if folder.is_relative_to(ROOT) else folder.parent
    # Whatever the file of `run` itself is called, rows come of it.
    reading = [path for path in folder.rglob("*.py") if path.name.startswith(("plot", "find"))]
    left_out = set(reading) - {source}
    return [(path, above) for path in folder.rglob("*.py") if path not in left_out]


def _source(run: Callable) -> Path:
    """Return the file that `run` is in, or say that it must be in one."""
    try:
        source = Path(inspect.getsourcefile(inspect.unwrap(run)) or "").resolve()
    except TypeError:  # no function, as what `functools.partial` makes
        source = Path()
    if not source.is_file():
        raise InputError(
            "sweep: 'run' of an experiment must be a function in a file, so that a change of its "
            f"code is seen, got {run!r}"
        )
    return source


DRAWING = ("plotting", "environments", "planning", "experiments")
"""Packages whose code can change figures. Experiments take some of each other's numbers."""


@cache
def drawing_version() -> str:
    """Return a hash of all code that figures depend on, besides their rows."""
    return _hash([(path, ROOT) for name in DRAWING for path in (ROOT / name).rglob("*.py")])


def _hash(files: Sequence[tuple[Path, Path]]) -> str:
    """Return a hash of files and their names, which begin below the folder given with each."""
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(above), path) for path, above in files):
        digest.update(name.as_posix().encode())
        # Checkouts differ in line endings, the code does not.
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]
