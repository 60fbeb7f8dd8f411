"""Error messages name the command that fits how the package was installed."""

import json
from importlib.metadata import PackageNotFoundError

import pytest

from first_occupancy.core import install_hints
from first_occupancy.core.install_hints import install_command


class Distribution:
    def __init__(self, recorded):
        self.recorded = recorded

    def read_text(self, name):
        assert name == "direct_url.json"
        return None if self.recorded is None else json.dumps(self.recorded)


@pytest.mark.parametrize(
    ("recorded", "command"),
    [
        (None, "pip install 'first-occupancy[interop]'"),
        ({"url": "file:///a.whl", "archive_info": {}}, "pip install 'first-occupancy[interop]'"),
        ({"url": "file:///a", "dir_info": {}}, "pip install '.[interop]'"),
        ({"url": "file:///a", "dir_info": {"editable": True}}, "pip install -e '.[interop]'"),
    ],
    ids=["by name", "from a wheel", "from a checkout", "editable"],
)
def test_the_command_repeats_how_the_package_was_installed(recorded, command, monkeypatch):
    monkeypatch.setattr(install_hints, "distribution", lambda name: Distribution(recorded))
    assert install_command("interop") == command


def test_a_source_tree_that_was_never_installed_counts_as_a_checkout(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(install_hints, "distribution", missing)
    assert install_command("interop") == "pip install '.[interop]'"
