import os
import signal
import subprocess
import sys

import pytest

from first_occupancy.storage.whole_files import (
    drop_leftovers,
    drop_unfinished,
    write_many,
    write_whole,
)


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "page.html"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    write_whole(path, b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_a_link_stays_and_the_file_that_it_names_is_replaced(tmp_path):
    (tmp_path / "kept").mkdir()
    link, file = tmp_path / "page.html", tmp_path / "kept" / "page.html"
    file.write_bytes(b"old")
    link.symlink_to(file)
    write_whole(link, b"new")
    assert (link.is_symlink(), file.read_bytes()) == (True, b"new")


def test_a_pipe_or_a_device_is_refused_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=r"Not a regular file: .*/pipe"):
        write_whole(tmp_path / "pipe", b"new")
    assert (tmp_path / "pipe").is_fifo()


WRITER = """
import sys, time
from pathlib import Path
from first_occupancy.storage.whole_files import whole_file
with whole_file(Path(sys.argv[1])) as file:
    print("writing", flush=True)
    time.sleep(100)
"""


@pytest.fixture
def writer(tmp_path):
    """A process that is writing run.npz."""
    command = [sys.executable, "-c", WRITER, str(tmp_path / "run.npz")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


@pytest.mark.parametrize(
    "drop", [lambda path: drop_unfinished(path), lambda p: drop_leftovers(p.parent)]
)
def test_what_a_killed_writer_leaves_is_dropped_and_nothing_else(tmp_path, writer, drop):
    path = tmp_path / "run.npz"
    path.write_bytes(b"old")
    others = {"run.npz", ".run.npz.backup", ".run.npz", f"run.npz.{'0' * 32}"}
    for name in others:
        (tmp_path / name).write_bytes(b"mine")
    drop(path)
    assert len(list(tmp_path.iterdir())) == 5  # it is still being written
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert len(list(tmp_path.iterdir())) == 5
    drop(path)
    assert {each.name for each in tmp_path.iterdir()} == others


def test_leftovers_of_other_files_stay(tmp_path):
    (tmp_path / f".other.npz.{'0' * 32}").write_bytes(b"mine")
    drop_unfinished(tmp_path / "run.npz")
    assert len(list(tmp_path.iterdir())) == 1


def test_a_missing_folder_is_named_by_the_files_own_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "no" / "page.html", b"new")
    assert caught.value.filename == str(tmp_path / "no" / "page.html")


def test_many_files_are_each_replaced_as_a_whole(tmp_path):
    contents = {str(tmp_path / name): name.encode() for name in "abc"}
    (tmp_path / "b").write_bytes(b"old")
    write_many(contents)
    assert {str(path): path.read_bytes() for path in tmp_path.iterdir()} == contents


def test_of_many_files_those_before_a_full_disk_are_there_and_nothing_else(tmp_path, monkeypatch):
    move = os.replace

    def full(source, target):
        if str(target).endswith("b"):
            raise OSError(28, "No space left on device")
        move(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left on device") as error:
        write_many({str(tmp_path / name): b"new" for name in "abc"})
    assert error.value.filename == str(tmp_path / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
