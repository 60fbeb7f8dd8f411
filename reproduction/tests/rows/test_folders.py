"""Folders are made ready, or named before anything is computed."""

from pathlib import Path

import pytest

from first_occupancy_paper.rows.folders import prepare_folder


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    prepare_folder(tmp_path / "new" / "one")
    assert not list((tmp_path / "new" / "one").iterdir())
    with pytest.raises(OSError, match="proc") as caught:
        prepare_folder(Path("/proc/self"))  # in which even root cannot create files
    assert caught.value.filename == "/proc/self"
    (tmp_path / "file").write_bytes(b"in the way")
    with pytest.raises(NotADirectoryError):
        prepare_folder(tmp_path / "file")


def test_what_a_killed_writer_left_is_dropped(tmp_path):
    left = tmp_path / f".page.html.{'0' * 32}"
    left.write_bytes(b"half")
    (tmp_path / "page.html").write_bytes(b"whole")
    prepare_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
