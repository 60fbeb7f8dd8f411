"""The results store: one file per job, whole or not there at all.

A file holds one JSON object per line: first where the rows come from, then the rows,
then their number, so that a cut-off file is known for one. It is written beside its
place and moved there, so a killed run leaves only finished jobs. It holds nothing that
differs between two runs of the same job and commit: no time, no host.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy.core.files import write_whole
from first_occupancy.core.provenance import commit, versions
from first_occupancy.experiments import Row
from first_occupancy.sweeps.jobs import Job, code_version

FORMAT = 1


class DamagedError(InputError):
    """A stored file that cannot be what its name says."""


class Store:
    """Rows of finished jobs, in a folder."""

    def __init__(self, folder: Path | str):
        self.folder = Path(folder)

    def path(self, job: Job) -> Path:
        """Return where the job's rows are, or would be."""
        return self.folder / job.experiment.name / f"{job.name}.jsonl"

    def write(self, job: Job, rows: Iterable[Row]) -> None:
        """Keep all rows of a finished job."""
        lines = [json.dumps(_origin(job), sort_keys=True)]
        lines += [json.dumps(row, sort_keys=True, allow_nan=False) for row in rows]
        lines.append(json.dumps({"rows": len(lines) - 1}))
        path = self.path(job)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, ("\n".join(lines) + "\n").encode())

    def read(self, job: Job) -> list[Row]:
        """Return the rows of a finished job; raise `DamagedError` if its file is not sound."""
        path = self.path(job)
        try:
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            origin, *rows, end = lines
            sound = end == {"rows": len(rows)} and all(isinstance(row, dict) for row in rows)
            format_, stored = origin["format"], {k: origin[k] for k in _identity(job)}
        except (ValueError, KeyError, TypeError):
            raise DamagedError(f"{path}: is damaged or no result file") from None
        if not sound:
            raise DamagedError(f"{path}: is cut off or has rows that are no rows")
        if format_ != FORMAT or stored != _identity(job):
            raise DamagedError(f"{path}: belongs to another format, experiment, config or seed")
        return rows

    def is_finished(self, job: Job) -> bool:
        """Return whether sound rows of the present code are there; raise if they are damaged."""
        path = self.path(job)
        if not path.exists():
            return False
        self.read(job)
        with path.open(encoding="utf-8") as file:
            origin = json.loads(file.readline())
        return all(origin.get(name) == value for name, value in _code(job).items())

    def set_aside(self, job: Job) -> Path:
        """Move a damaged file out of the way, keep it, and return its new path."""
        path = self.path(job)
        number = 1
        while (aside := path.with_suffix(f".damaged-{number}")).exists():
            number += 1
        path.rename(aside)
        return aside


def _identity(job: Job) -> dict[str, Any]:
    return {"experiment": job.experiment.name, "config": job.settings, "seed": job.seed}


def _origin(job: Job) -> dict[str, Any]:
    return {
        **_identity(job),
        **_code(job),
        "format": FORMAT,
        "commit": commit(),
    }


def _code(job: Job) -> dict[str, Any]:
    """Return what the rows depend on besides config and seed."""
    used = versions("jax", "jaxlib", "numpy")
    return {"code": code_version(job.experiment.name), "versions": used}
