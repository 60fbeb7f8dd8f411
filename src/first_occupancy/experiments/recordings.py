"""Recordings that are not part of the project: found in a folder that the user names."""

import json
import os
from pathlib import Path
from typing import Any

from first_occupancy.core.errors import InputError

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

    Args:
        folder: folder of the recordings.
        file: name of the file.
        key: name of the entry.

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
