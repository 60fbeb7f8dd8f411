"""Files that are there entirely or not at all."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whatever happens, it is there as a whole or as it was before."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write to, which takes its place only once everything is written.

    It is written beside its place, because renaming is atomic within a folder only.
    """
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        # The user knows nothing of the file beside it, and a full disk names no file.
        if error.filename in (None, str(beside)):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):  # what went wrong above is what the user should hear of
            beside.unlink()
