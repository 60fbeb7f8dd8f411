"""Logs of continuous worlds: OGBench's files, and Minari datasets of Box observations.

Neither package is imported: OGBench's files are NumPy archives, and any object with the attributes
of `minari.Dataset` will do.
"""

from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy.interop.data.minari import Dataset, recorded_episodes

PARTS = ("observations", "actions", "terminals")


def read_ogbench(path: str | Path) -> Episodes:
    """Return the episodes of an OGBench file (`.npz`).

    It has one row per observation; `terminals` is 1 on the last row of each episode.

    Raises:
        InputError: if it cannot be read, lacks a part, or its last row ends no episode.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            missing = [part for part in PARTS if part not in stored]
            parts = {} if missing else {part: np.asarray(stored[part]) for part in PARTS}
    except (OSError, ValueError, BadZipFile, EOFError) as error:
        raise InputError(
            f"read_ogbench: path must be a NumPy archive, got {type(error).__name__} for "
            f"{str(path)!r}"
        ) from None
    if missing:
        raise InputError(f"read_ogbench: the file must have {missing[0]}, got none")
    last = np.asarray(parts["terminals"]).ravel()
    ends = np.flatnonzero(last)
    if not len(ends) or ends[-1] != len(last) - 1:
        raise InputError("read_ogbench: terminals must mark the last row, but they do not")
    cuts = ends[:-1] + 1
    seen, done = (np.split(parts[part], cuts) for part in ("observations", "actions"))
    return Episodes(seen, done)


def episodes_from_minari(dataset: Dataset, *, key: str | None = None) -> Episodes:
    """Return the episodes of a Minari dataset of continuous observations.

    Args:
        key: part of dictionary observations to take, such as "observation"; None for the whole.

    Raises:
        InputError: if `dataset` is not a Minari dataset, has no episodes, or its observations are
            no vectors.
    """
    episodes = list(recorded_episodes("episodes_from_minari", dataset))
    seen = [episode.observations for episode in episodes]
    if isinstance(seen[0], dict):
        if key not in seen[0]:
            raise InputError(
                "episodes_from_minari: observations are dictionaries; key must be one of "
                f"{', '.join(map(str, seen[0]))}, got {key!r}"
            )
        seen = [each[key] for each in seen]
    return Episodes(seen, [episode.actions for episode in episodes])
