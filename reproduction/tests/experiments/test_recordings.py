"""Folders of recordings are named by the user, and errors name what is missing."""

from first_occupancy_paper.experiments.recordings import VARIABLE, data_folder, read_json


def test_folders_that_are_not_there_are_named(error_of, monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert error_of(lambda: data_folder("", "tartarus")) == (
        "tartarus: folder must name the folder of the recordings, got none; pass folder=... or set "
        "FIRST_OCCUPANCY_DATA to the folder that contains 'tartarus'"
    )
    nowhere = str(tmp_path / "nowhere")
    assert error_of(lambda: data_folder(nowhere, "tartarus")) == (
        f"tartarus: folder must be an existing folder, got {nowhere!r}"
    )
    assert error_of(lambda: read_json(tmp_path, "mazes.json", "mazes")) == (
        f"{tmp_path.name}: mazes.json must be a JSON file with the entry 'mazes', "
        "got FileNotFoundError"
    )
