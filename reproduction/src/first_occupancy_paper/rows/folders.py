"""Folders for files that are about to be computed."""

import errno
import os
from pathlib import Path

from first_occupancy.storage.whole_files import drop_leftovers, write_whole


def prepare_folder(folder: Path) -> None:
    """Create a folder for files about to be computed, without leftovers of killed writers.

    Raises:
        OSError: if files cannot be written there; better now than after computing them.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from None
    probe = folder / ".is_writable"
    try:
        write_whole(probe, b"yes")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None
    probe.unlink(missing_ok=True)
    drop_leftovers(folder)
