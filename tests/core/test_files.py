import pytest

from first_occupancy.core.files import write_whole


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


def test_a_missing_folder_is_named_by_the_files_own_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "no" / "page.html", b"new")
    assert caught.value.filename == str(tmp_path / "no" / "page.html")
