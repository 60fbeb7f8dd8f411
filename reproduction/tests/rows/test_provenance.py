"""Which commit numbers come from."""

import os
import subprocess

from first_occupancy_paper.rows import provenance


def test_asking_for_the_commit_writes_nothing_into_the_checkout(tmp_path, monkeypatch):
    def git(*arguments: str) -> str:
        settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(tmp_path), *settings, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    code = tmp_path / "code.py"
    code.write_text("one")
    git("init", "-q")
    git("add", "code.py")
    git("commit", "-qm", "one")
    monkeypatch.delenv("FIRST_OCCUPANCY_COMMIT", raising=False)
    monkeypatch.setattr(provenance, "__file__", str(code))
    index = tmp_path / ".git" / "index"
    os.utime(code, (1e9, 1e9))  # as after a checkout of the same code: git looks again
    before = (index.stat().st_ino, index.stat().st_mtime_ns)
    assert provenance.commit.__wrapped__() == git("rev-parse", "HEAD")
    assert (index.stat().st_ino, index.stat().st_mtime_ns) == before
    code.write_text("two")
    (tmp_path / "unknown.py").touch()
    assert provenance.commit.__wrapped__() == git("rev-parse", "HEAD") + "-dirty"
    assert (index.stat().st_ino, index.stat().st_mtime_ns) == before
