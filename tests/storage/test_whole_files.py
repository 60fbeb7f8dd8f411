import os

import pytest

from first_occupancy.storage.whole_files import drop_unfinished, whole_file, write_many, write_whole


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


def test_what_a_killed_writer_leaves_can_be_dropped_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    write_whole(path, b"old")
    others = [".run.npz.backup", ".run.npz", f".other.npz.{'0' * 32}"]
    for name in others:
        (tmp_path / name).write_bytes(b"mine")
    monkeypatch.setattr("pathlib.Path.unlink", lambda *_, **__: None)  # the killed do not clean up
    with whole_file(path):
        monkeypatch.setattr("pathlib.Path.replace", lambda *_: None)
    monkeypatch.undo()
    assert len(list(tmp_path.iterdir())) == 5
    drop_unfinished(path)
    assert {each.name for each in tmp_path.iterdir()} == {"run.npz", *others}


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
        if target.endswith("b"):
            raise OSError(28, "No space left on device")
        move(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left on device") as error:
        write_many({str(tmp_path / name): b"new" for name in "abc"})
    assert error.value.filename == str(tmp_path / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
