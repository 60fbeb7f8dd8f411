"""The results store: one file per job, complete or absent.

A file holds one JSON object per line: first the origin of the rows, then the rows, then their
number and the SHA-256 checksum of all lines before, so that a truncated file and a changed digit
are recognised. A file is written to a temporary name and renamed, so a killed run leaves only
finished jobs. It holds nothing that differs between two runs of the same job and commit: no time,
no host.

Jobs that finish several at a time are short, and waiting for the disk would take longer than
running them. Those of the last seconds may be lost in a power cut; they run again.

Wherever jobs run, only the process that hands them out writes. So the machines that run them
need no shared disk, and no job is stored twice.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import write_many, write_whole
from first_occupancy_paper.rows.folders import prepare_folder
from first_occupancy_paper.rows.provenance import commit, versions
from first_occupancy_paper.rows.row import Row

from .dependencies import code_version
from .jobs import Job

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

    def write(self, finished: Iterable[tuple[Job, bytes]]) -> None:
        """Store the lines (see `lines_of`) of finished jobs; they survive a killed process."""
        contents = {}
        for job, lines in finished:
            origin = {**_identity(job), **code_of(job.experiment.run), "commit": commit()}
            body = json.dumps(origin, sort_keys=True).encode() + b"\n" + lines
            contents[str(self.path(job))] = body + _end(body)
        if len(contents) == 1:
            ((path, content),) = contents.items()
            write_whole(Path(path), content)
        else:
            write_many(contents)

    def prepare(self, jobs: Iterable[Job]) -> None:
        """Prepare the folders of jobs about to run; raise `OSError` if one cannot be written to."""
        for folder in {self.path(job).parent for job in jobs}:
            prepare_folder(folder)

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
        content = path.read_bytes()
        body = content[: content.removesuffix(b"\n").rfind(b"\n") + 1]
        if not body or content != body + _end(body):
            raise DamagedError(f"{path}: is damaged or truncated")
        origin, *rows = map(json.loads, body.splitlines())
        if any(origin[name] != value for name, value in _identity(job).items()):
            raise DamagedError(f"{path}: belongs to another format, experiment, config or seed")
        return origin, rows


def _end(body: bytes) -> bytes:
    """Return the last line of a file: the number of rows, and the checksum of all lines before."""
    end = {"rows": body.count(b"\n") - 1, "sha256": hashlib.sha256(body).hexdigest()}
    return json.dumps(end).encode() + b"\n"


def lines_of(rows: Iterable[Row]) -> bytes:
    """Return rows as they are stored, one per line; raise if JSON cannot hold one."""
    lines = [json.dumps(row, sort_keys=True, allow_nan=False) for row in rows]
    return "".join(line + "\n" for line in lines).encode()


def code_of(run: Callable) -> dict[str, Any]:
    """Return the code and package versions that rows depend on, besides config and seed."""
    return {"code": code_version(run), "versions": _versions()}


@cache
def _versions() -> dict[str, str]:
    return versions("jax", "jaxlib", "numpy")


def _identity(job: Job) -> dict[str, Any]:
    named = {"experiment": job.experiment.name, "config": job.settings, "seed": job.seed}
    return {**named, "format": FORMAT}
