"""Recordings that are not part of the project: found in a folder that the user names.

    python -m first_occupancy_paper.experiments.recordings NAME FILE [FOLDER [WORD ...]]

makes the kept rows of an experiment from the recordings in FOLDER. Rows that FILE has are not made
again, so a run that was killed continues. Words choose the configs that have all of them as values.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import jax

from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.row import Row

VARIABLE = "FIRST_OCCUPANCY_DATA"
"""Environment variable that names the folder in which the folders of recordings are."""


def data_folder(folder: str, name: str) -> Path:
    """Return the folder that holds recordings.

    Args:
        folder: folder that the user named; "" takes it from the environment.
        name: name of the recordings, which is the folder's below that of the environment.

    Raises:
        InputError: if no folder is named, or there is none of that name.
    """
    if not folder and not os.environ.get(VARIABLE):
        raise InputError(
            f"{name}: folder must name the folder of the recordings, got none; pass folder=... or "
            f"set {VARIABLE} to the folder that contains {name!r}"
        )
    path = Path(folder) if folder else Path(os.environ[VARIABLE]) / name
    if not path.is_dir():
        raise InputError(f"{name}: folder must be an existing folder, got {str(path)!r}")
    return path


def read_json(folder: Path, file: str, key: str) -> Any:
    """Return one entry of a JSON file.

    Raises:
        InputError: if the file cannot be read, is not JSON, or has no such entry.
    """
    try:
        return json.loads((folder / file).read_text("utf-8"))[key]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder.name}: {file} must be a JSON file with the entry {key!r}, "
            f"got {type(error).__name__}"
        ) from None


def keep_rows(
    path: Path, configs: Iterable[Any], run: Callable[[Any, int], Iterator[Row]], *, seed: int = 0
) -> Iterator[str]:
    """Append the rows of configs to a file of kept rows; those that it has are not made again.

    Each row names its config, without the folder of the recordings, and its seed.

    Yields:
        A line for each config, once its rows are written.
    """
    text = path.read_text("utf-8") if path.exists() else ""
    known = [json.loads(line)["config"] for line in text.splitlines()]
    for config in configs:
        named = {"kind": type(config).__name__, **asdict(config), "seed": seed}
        named.pop("folder", None)
        if named not in known:
            rows = [json.dumps({**row, "config": named}) for row in run(config, seed)]
            with path.open("a", encoding="utf-8") as file:
                file.write("\n".join(rows) + "\n")
        yield str(named)


def main(arguments: list[str]) -> None:
    """Make the rows that are not there yet, and print a line for each config."""
    name, file, *given = arguments
    folder, *words = given or [""]
    module = import_module(f"first_occupancy_paper.experiments.{name}.run")
    chosen = [
        config
        for config in module.all_configs(folder)
        if set(words) <= {type(config).__name__, *map(str, asdict(config).values())}
    ]
    with jax.enable_x64(True):
        for line in keep_rows(Path(file), chosen, module.run):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
