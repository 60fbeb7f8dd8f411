"""Rows on disk: a file of JSON lines that grows as a run goes on, and says where it comes from.

Its first line is the origin (config, versions, hardware, commit), every other a row. Where
pre-training was done with other versions, elsewhere or by another commit, the origin says that
too. A last line that is cut off, as a kill in the middle of writing leaves it, does not count.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from first_occupancy.arm.runs.run_config import RunConfig, as_data, from_data
from first_occupancy.core import provenance
from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import write_whole

Row = Mapping[str, Any]
"""One observation of a run: names to numbers, texts, or lists of them."""

FORMAT = 2
FIRST_ACTIONS = {1: "the pre-trained actor with random tasks", 2: "random actions"}
"""What fine-tuning begins with, by the format of its rows; all else is the same in both."""
EXPERIMENT = "jaco_reaching"
MAKING = ("versions", "hardware", "commit")
"""What an origin says about how rows came about, beside their config."""
PACKAGES = ("first-occupancy", "jax", "jaxlib", "numpy", "mujoco|mujoco-core")


def identity(config: RunConfig) -> dict[str, Any]:
    """Return what decides the rows: whoever goes on with a run must agree in all of it."""
    return {"config": as_data(config), "versions": provenance.versions(*PACKAGES)}


def origin(config: RunConfig, pretraining: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the first line of a file: what was run, with what, on what.

    `pretraining` is the same of pre-training, where that was done before.
    """
    found = {
        "format": FORMAT,
        "experiment": EXPERIMENT,
        **identity(config),
        "hardware": provenance.hardware(),
        "commit": provenance.commit(),
    }
    if pretraining is not None and any(pretraining[name] != found[name] for name in MAKING):
        found["pretraining"] = dict(pretraining)
    return found


def making_of_pretraining(origin: Mapping[str, Any]) -> dict[str, Any]:
    """Return with what, on what and by which commit pre-training was done."""
    own = {name: origin.get(name) for name in MAKING}
    return origin.get("pretraining", own)


def create(
    path: Path,
    config: RunConfig,
    rows: Sequence[Row] = (),
    *,
    pretraining: Mapping[str, Any] | None = None,
) -> None:
    """Write a file with the rows there are before a run begins: none, or those of pre-training."""
    lines = [_line(origin(config, pretraining)), *map(_line, rows)]
    write_whole(path, "".join(lines).encode())


def append(path: Path, rows: Sequence[Row]) -> None:
    """Add rows, so that they survive a crash of the machine."""
    with path.open("ab") as file:
        file.write("".join(map(_line, rows)).encode())
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> tuple[dict[str, Any], list[Row]]:
    """Return the origin and the rows of a file, or say what is wrong with it."""
    *lines, _ = path.read_bytes().split(b"\n")
    try:
        first, *rows = [json.loads(line) for line in lines]
        sound = all(isinstance(row, dict) for row in rows) and first["format"] in FIRST_ACTIONS
        sound = sound and isinstance(first["config"], dict) and isinstance(first["versions"], dict)
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: is damaged or holds no rows of {EXPERIMENT}") from None
    if not sound:
        raise InputError(f"{path}: is damaged or of another format than {FORMAT}")
    return first, rows


def config_of(path: Path) -> RunConfig:
    """Return the config of a file whose run can be continued, or say why it cannot."""
    found, _ = read(path)
    _check_format(path, found)
    try:
        return from_data(found["config"])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def check_identity(path: Path, config: RunConfig) -> None:
    """Raise unless the file belongs to a run of this config with these versions."""
    found, _ = read(path)
    _check_format(path, found)
    for part, expected in identity(config).items():
        for name, value in expected.items():
            if found[part].get(name) != value:
                other = found[part].get(name)
                raise InputError(
                    f"{path}: belongs to another run: its {_word(part, name)} is "
                    f"{json.dumps(other)}, not {json.dumps(value)}{_hint(name, other)}"
                )


def cut(path: Path, num_rows: int) -> None:
    """Keep the first rows only; what was written after a checkpoint is about to come again."""
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


def _word(part: str, name: str) -> str:
    return name if part == "config" else f"version of {name}"


def _hint(name: str, other: Any) -> str:
    """Return what to do about a run that was only pre-trained, and is wanted to go on."""
    if name != "finetuning_steps" or other != 0:
        return ""
    return "; to fine-tune what it learned, name it by --pretrained and choose another --out"


def _line(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, allow_nan=False) + "\n"
