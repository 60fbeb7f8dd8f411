"""The command that serves the lab; the lab itself is tested in `tests/web`."""

import sys
from types import SimpleNamespace

import pytest

from first_occupancy.cli.main import main
from first_occupancy.core.install_hints import install_command


@pytest.mark.parametrize("package", ["fastapi", "uvicorn"])
def test_without_the_extra_one_is_told_what_to_install(package, monkeypatch, capsys):
    for name in ("fastapi", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None if name == package else SimpleNamespace())
    assert main(["lab"]) == 2
    assert capsys.readouterr().err == (
        f"first-occupancy lab: needs the package {package}; "
        f"install it with: {install_command('web')}\n"
    )


def test_port_and_browser_are_passed_on(monkeypatch):
    served = []
    server = SimpleNamespace(serve=lambda port, open_browser: served.append((port, open_browser)))
    for name in ("fastapi", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    monkeypatch.setitem(sys.modules, "first_occupancy.web.server", server)
    assert main(["lab", "--port", "8123", "--no-browser"]) == 0
    assert main(["lab", "--port", "0"]) == 0
    assert served == [(8123, False), (0, True)]
