"""Atomic writing: a file is there completely or not at all."""

import os
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: if writing fails, the file is left as it was before.

    Args:
        path: file to write.
        content: bytes of the whole file.
    """
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write to, which is moved to `path` once everything is written.

    Until then it lies in the same folder, since renaming is atomic only within a file system.
    """
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise _naming(error, beside=str(beside), path=str(path)) from None
    finally:
        with suppress(OSError):  # do not hide an error from above
            beside.unlink()


def drop_unfinished(path: Path) -> None:
    """Remove the temporary files that killed writers of a file left behind.

    Use it only for files with one writer at a time: it would remove another's unfinished file.
    """
    for beside in path.parent.glob(f".{path.name}.*"):
        if re.fullmatch(r"[0-9a-f]{32}", beside.name.removeprefix(f".{path.name}.")):
            beside.unlink(missing_ok=True)


def write_many(contents: Mapping[str, bytes]) -> None:
    """Write files by their paths, each atomically, without waiting for the disk (`fsync`).

    Waiting takes milliseconds per file. Without it a process that is killed still leaves only
    complete files, but a power cut may leave an empty one, which readers must recognise.
    """
    mark = uuid.uuid4().hex
    for path, content in contents.items():
        folder, name = os.path.split(path)
        beside = os.path.join(folder, f".{name}.{mark}")
        try:
            with open(beside, "wb") as file:
                file.write(content)
            os.replace(beside, path)
        except BaseException as error:
            with suppress(OSError):
                os.unlink(beside)
            if isinstance(error, OSError):
                raise _naming(error, beside=beside, path=path) from None
            raise


def _naming(error: OSError, *, beside: str, path: str) -> OSError:
    """Return the error with the path of the intended file, instead of the temporary one or none."""
    if error.errno is None or error.filename not in (None, beside):
        return error
    return OSError(error.errno, error.strerror, path)
