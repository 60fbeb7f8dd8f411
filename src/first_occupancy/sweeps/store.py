"""The results store: one file per job, complete or absent.

A file holds one JSON object per line: first the origin of the rows, then the rows, then their
number, so that a truncated file is recognised. It is written to a temporary name and renamed, so
a killed run leaves only finished jobs. It holds nothing that differs between two runs of the same
job and commit: no time, no host.

Jobs that finish several at a time are short, and waiting for the disk would take longer than
running them. Those of the last seconds may be lost in a power cut; they run again.

Wherever jobs run, only the process that hands them out writes. So the machines that run them
need no shared disk, and no job is stored twice.
"""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy.core.provenance import commit, versions
from first_occupancy.experiments import Row
from first_occupancy.storage.whole_files import write_many, write_whole
from first_occupancy.sweeps.dependencies import code_version
from first_occupancy.sweeps.jobs import Job

FORMAT = 1


class DamagedError(InputError):
    """A stored file is not a valid result of its job."""


class Store:
    """The rows of finished jobs, in a folder."""

    def __init__(self, folder: Path | str):
        self.folder = Path(folder)

    def path(self, job: Job) -> Path:
        """Return the path of the job's rows, whether or not they exist."""
        return self.folder / job.experiment.name / f"{job.name}.jsonl"

    def write(self, job: Job, rows: Iterable[Row]) -> None:
        """Store the rows of a finished job.

        Args:
            job: the job.
            rows: all of its rows.
        """
        self.write_all([(job, lines_of(rows))])

    def write_all(self, finished: Sequence[tuple[Job, bytes]]) -> None:
        """Store the lines (see `lines_of`) of finished jobs; they survive a killed process."""
        contents = {}
        for job, lines in finished:
            origin = json.dumps(_origin(job), sort_keys=True)
            contents[str(self.path(job))] = origin.encode() + b"\n" + lines
        for folder in {os.path.dirname(path) for path in contents}:
            os.makedirs(folder, exist_ok=True)
        if len(contents) == 1:
            ((path, content),) = contents.items()
            write_whole(Path(path), content)
        else:
            write_many(contents)

    def read(self, job: Job) -> list[Row]:
        """Return the rows of a finished job; raise `DamagedError` if its file is not valid."""
        return self._read(job)[1]

    def is_finished(self, job: Job) -> bool:
        """Return whether rows of the current code are stored; raise if they are damaged."""
        if not self.path(job).exists():
            return False
        origin, _ = self._read(job)
        return all(origin.get(name) == value for name, value in code_of(job.experiment.run).items())

    def set_aside(self, job: Job) -> Path:
        """Rename a damaged file, so that the job can be stored again, and return its new path."""
        path = self.path(job)
        number = 1
        while (aside := path.with_suffix(f".damaged-{number}")).exists():
            number += 1
        path.rename(aside)
        return aside

    def _read(self, job: Job) -> tuple[dict[str, Any], list[Row]]:
        path = self.path(job)
        try:
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            origin, *rows, end = lines
            sound = end == {"rows": len(rows)} and all(isinstance(row, dict) for row in rows)
            format_, stored = origin["format"], {k: origin[k] for k in _identity(job)}
        except (ValueError, KeyError, TypeError):
            raise DamagedError(f"{path}: is damaged or not a result file") from None
        if not sound:
            raise DamagedError(f"{path}: is truncated or has invalid rows")
        if format_ != FORMAT or stored != _identity(job):
            raise DamagedError(f"{path}: belongs to another format, experiment, config or seed")
        return origin, rows


def lines_of(rows: Iterable[Row]) -> bytes:
    """Return rows as they are stored, followed by their number; raise if JSON cannot hold one."""
    lines = [json.dumps(row, sort_keys=True, allow_nan=False) for row in rows]
    lines.append(json.dumps({"rows": len(lines)}))
    return ("\n".join(lines) + "\n").encode()


def code_of(run: Callable) -> dict[str, Any]:
    """Return the code and package versions that rows depend on, besides config and seed."""
    return {"code": code_version(run), "versions": _versions()}


@cache
def _versions() -> dict[str, str]:
    return versions("jax", "jaxlib", "numpy")


def _identity(job: Job) -> dict[str, Any]:
    return {"experiment": job.experiment.name, "config": job.settings, "seed": job.seed}


def _origin(job: Job) -> dict[str, Any]:
    return {
        **_identity(job),
        **code_of(job.experiment.run),
        "format": FORMAT,
        "commit": commit(),
    }
