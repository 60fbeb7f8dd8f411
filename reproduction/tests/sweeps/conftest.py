import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return where trials leave a line, and look for what to do; see `short_trials`."""
    path = tmp_path / "trials"
    path.mkdir()
    monkeypatch.setenv("TRIALS_FOLDER", str(path))
    return path
