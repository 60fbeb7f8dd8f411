"""Files that are there entirely or not at all."""

import os
import re
import uuid
from collections.abc import Iterator, Mapping
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
        raise _naming(error, beside=str(beside), path=str(path)) from None
    finally:
        with suppress(OSError):  # what went wrong above is what the user should hear of
            beside.unlink()


def drop_unfinished(path: Path) -> None:
    """Remove what writers of a file left beside it when they were killed.

    For files with one writer at a time: another one's work would be lost.
    """
    for beside in path.parent.glob(f".{path.name}.*"):
        if re.fullmatch(r"[0-9a-f]{32}", beside.name.removeprefix(f".{path.name}.")):
            beside.unlink(missing_ok=True)


def write_many(contents: Mapping[str, bytes]) -> None:
    """Write files by their paths, each as a whole or not at all, without waiting for the disk.

    Waiting takes milliseconds a file. Without it a process that is killed still leaves whole
    files only, but a power cut may leave an empty one, which its reader must be able to tell.
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
    """Return the error with the file that was meant; a full disk names none."""
    if error.errno is None or error.filename not in (None, beside):
        return error
    return OSError(error.errno, error.strerror, path)
