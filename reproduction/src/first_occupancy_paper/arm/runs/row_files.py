"""Rows on disk: a file of JSON lines that grows during a run, with its origin in the first line.

The origin holds config, versions, hardware and commit, and those of pre-training if they differ.
All other lines are rows. Each line ends with its own checksum, since the file grows; files of
earlier versions have none, as their origin tells, and are read as they are. An incomplete last
line, left by a process killed while writing, is ignored.
"""

import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.rows import provenance
from first_occupancy_paper.rows.row import Row

from .run_config import RunConfig, as_data, from_data

FORMAT = 2
FIRST_ACTIONS = {1: "the pre-trained actor with random tasks", 2: "random actions"}
"""First actions of fine-tuning, by format of the rows; everything else is the same in both."""
EXPERIMENT = "jaco_reaching"
MAKING = ("versions", "hardware", "commit")
"""Parts of an origin other than the config: how the rows were made."""
PACKAGES = ("first-occupancy", "jax", "jaxlib", "numpy", "mujoco|mujoco-core")


def identity(config: RunConfig) -> dict[str, Any]:
    """Return the settings and versions that determine rows, and may not change within a run."""
    return {"config": as_data(config), "versions": provenance.versions(*PACKAGES)}


def origin(config: RunConfig, pretraining: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the first line of a file.

    Args:
        pretraining: versions, hardware and commit of pre-training, if it was done before.
    """
    found = {
        "format": FORMAT,
        "experiment": EXPERIMENT,
        **identity(config),
        "hardware": provenance.hardware(),
        "commit": provenance.commit(),
        "checksums": "crc32",
    }
    if pretraining is not None and any(pretraining[name] != found[name] for name in MAKING):
        found["pretraining"] = dict(pretraining)
    return found


def making_of_pretraining(origin: Mapping[str, Any]) -> dict[str, Any]:
    """Return versions, hardware and commit of pre-training."""
    return origin.get("pretraining", {name: origin.get(name) for name in MAKING})


def create(
    path: Path,
    config: RunConfig,
    rows: Sequence[Row] = (),
    *,
    pretraining: Mapping[str, Any] | None = None,
) -> None:
    """Write a new file.

    Args:
        path: path of the file.
        rows: rows that exist before the run starts: those of another run's pre-training.
        pretraining: versions, hardware and commit of that pre-training; None without one.
    """
    lines = [_line(origin(config, pretraining)), *map(_line, rows)]
    write_whole(path, "".join(lines).encode())


def append(path: Path, rows: Sequence[Row]) -> None:
    """Append rows, synchronised so that they survive a crash of the machine."""
    with path.open("ab") as file:
        file.write("".join(map(_line, rows)).encode())
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> tuple[dict[str, Any], list[Row]]:
    """Return the origin and the rows of a file, or raise if it is damaged."""
    *lines, _ = path.read_bytes().split(b"\n")
    try:
        first = _content(lines[0])
        rows: list[Row] = [_content(line, is_checked="checksums" in first) for line in lines[1:]]
        is_sound = first["format"] in FIRST_ACTIONS
        is_sound &= all(isinstance(first[name], dict) for name in ("config", "versions"))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise InputError(f"{path}: is damaged or holds no rows of {EXPERIMENT}") from None
    if not is_sound:
        raise InputError(f"{path}: is damaged or of another format than {FORMAT}")
    return first, rows


def gathered(paths: Iterable[Path]) -> list[Row]:
    """Return the rows of some files, each with its file's name; a file's origin is a row too."""
    found: list[Row] = []
    for path in paths:
        origin, rows = read(path)
        found.append({"part": "origin", "file": path.stem, **origin})
        found += [{"part": "run", "file": path.stem, **row} for row in rows]
    return found


def config_of(path: Path) -> RunConfig:
    """Return the config of a run that can be resumed, or raise if it cannot."""
    found, _ = read(path)
    _check_format(path, found)
    try:
        return from_data(found["config"])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def check_identity(path: Path, config: RunConfig) -> None:
    """Raise unless a file belongs to a run with this config and the current versions.

    Raises:
        InputError: the file is damaged, of an older format, or of other settings or versions.
    """
    found, _ = read(path)
    _check_format(path, found)
    for part, expected in identity(config).items():
        for name, value in expected.items():
            if found[part].get(name) != value:
                what = name if part == "config" else f"version of {name}"
                other = found[part].get(name)
                raise InputError(
                    f"{path}: belongs to another run: its {what} is "
                    f"{json.dumps(other)}, not {json.dumps(value)}{_hint(name, other)}"
                )


def cut(path: Path, num_rows: int) -> None:
    """Drop rows written after the last checkpoint, which are about to be computed again.

    Raises:
        InputError: the file has fewer rows, or is damaged.
    """
    _, rows = read(path)
    if len(rows) < num_rows:
        raise InputError(
            f"{path}: holds {len(rows)} rows, but the checkpoint beside it came after {num_rows}"
        )
    lines = path.read_bytes().split(b"\n")[: num_rows + 1]
    write_whole(path, b"\n".join(lines) + b"\n")


def _check_format(path: Path, found: Mapping[str, Any]) -> None:
    if found["format"] != FORMAT:
        raise InputError(f"{path}: has format {found['format']}, which is only read, not continued")


def _hint(name: str, other: Any) -> str:
    """Return how to fine-tune a run that was only pre-trained."""
    if name != "finetuning_steps" or other != 0:
        return ""
    return "; to fine-tune what it learned, name it by --pretrained and choose another --out"


def _line(content: Mapping[str, Any]) -> str:
    """Return a line: the content as JSON, with the checksum of that JSON as a last field."""
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return f'{text[:-1]}, "crc32": "{zlib.crc32(text.encode()):08x}"}}\n'


def _content(line: bytes, *, is_checked: bool = False) -> dict[str, Any]:
    """Return the content of a line; raise `ValueError` unless it is what was written."""
    content = json.loads(line)
    content.pop("crc32", None)
    written = _line(content)
    if (is_checked or b'"crc32"' in line) and written.encode() != line + b"\n":
        raise ValueError(line)
    return content
