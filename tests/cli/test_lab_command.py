"""The command that serves the lab; the lab itself is tested in `tests/web`."""

import sys
from types import SimpleNamespace

from first_occupancy.cli.main import main


def test_port_and_browser_are_passed_on(monkeypatch):
    served = []
    server = SimpleNamespace(serve=lambda port, open_browser: served.append((port, open_browser)))
    monkeypatch.setitem(sys.modules, "first_occupancy.web.server", server)
    assert main(["lab", "--port", "8123", "--no-browser"]) == 0
    assert main(["lab", "--port", "0"]) == 0
    assert served == [(8123, False), (0, True)]


def test_the_page_can_be_saved_as_one_file(tmp_path, capsys):
    path = tmp_path / "lab.html"
    assert main(["lab", "--save", str(path)]) == 0
    assert capsys.readouterr().out == f"wrote {path}: open it in a browser\n"
    text = path.read_text("utf-8")
    assert len(text) < 300_000
    for outside in ('src="', 'href="style', 'from "./'):
        assert outside not in text.replace('src="data:', "")


def test_a_file_that_cannot_be_written_is_named(tmp_path, capsys):
    assert main(["lab", "--save", str(tmp_path / "no" / "lab.html")]) == 2
    assert "--save must name a file to write" in capsys.readouterr().err


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path, monkeypatch, capsys):
    def full(_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "lab.html"
    path.write_text("last week's lab")
    monkeypatch.setattr("os.fsync", full)
    assert main(["lab", "--save", str(path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert path.read_text() == "last week's lab"
    assert list(tmp_path.iterdir()) == [path]


def test_a_port_that_is_taken_or_out_of_range_is_named(capsys):
    from first_occupancy.web.server import listen

    with listen(0) as server:
        assert main(["lab", "--port", str(server.server_port), "--no-browser"]) == 2
        assert "choose another with --port, or 0 for any" in capsys.readouterr().err
    assert main(["lab", "--port", "65536", "--no-browser"]) == 2
    assert "--port must be in 0..65535, got 65536" in capsys.readouterr().err
