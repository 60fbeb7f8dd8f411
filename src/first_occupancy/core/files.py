"""Files that are there entirely or not at all."""

import os
import uuid
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whatever happens, it is there as a whole or as it was before.

    It is written beside its place, because renaming is atomic within a folder only.
    """
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        if error.filename is not None:
            error.filename = str(path)  # the user knows nothing of the file beside it
        raise
    finally:
        beside.unlink(missing_ok=True)
