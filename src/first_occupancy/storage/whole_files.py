"""Atomic writing: a file is there completely or not at all.

While a file is written, it has a temporary name in the same folder. A killed process leaves it
there, and `drop_leftovers` removes it later. Writers lock their temporary file, and the system
releases the lock when they end, however they end: so leftovers are told from files that another
process is writing.
"""

import errno
import glob
import os
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # on Windows, where a file that is open cannot be removed anyway
    fcntl = None

_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{32}", re.DOTALL)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: if writing fails, the file is left as it was before."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path, *, at_once: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file to write to, which is moved to `path` once everything is written.

    Until then it lies in the same folder, since renaming is atomic only within a file system.
    A link stays: the file that it names is replaced.
    """
    target = Path(os.path.realpath(path))
    beside = target.parent / f".{target.name}.{uuid.uuid4().hex}"
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    try:
        with beside.open("wb") as file:
            _lock(file)
            yield file
            file.flush()
            if not at_once:  # wait for the disk
                os.fsync(file.fileno())
        os.replace(beside, target)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(beside)):
            raise
        # Of the file that was meant, instead of the temporary one or none.
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):  # do not hide an error from above
            beside.unlink()


def drop_unfinished(path: Path) -> None:
    """Remove the temporary files that killed writers of one file left behind."""
    for beside in path.parent.glob(f".{glob.escape(path.name)}.*"):
        _drop(beside)


def drop_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed writers left in a folder, but not below it."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(".")]
    for name in names:
        _drop(folder / name)


def _drop(beside: Path) -> None:
    """Remove a file if its name is that of a temporary one and no process is writing it."""
    if not _TEMPORARY.fullmatch(beside.name):
        return
    with suppress(OSError):  # renamed or removed by another process, or being written by it
        with beside.open("rb") as file:
            _lock(file)
        beside.unlink()


def _lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed; raise `OSError` if another process has locked it."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write_many(contents: Mapping[str, bytes]) -> None:
    """Write files by their paths, each atomically, without waiting for the disk (`fsync`).

    Waiting takes milliseconds per file. Without it a process that is killed still leaves only
    complete files, but a power cut may leave an empty one, which readers must recognise.
    """
    for path, content in contents.items():
        with whole_file(Path(path), at_once=True) as file:
            file.write(content)
