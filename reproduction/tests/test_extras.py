"""Who lacks a package of an extra is told how to get it."""

import json

import pytest

from first_occupancy.core import install_hints
from first_occupancy_paper.extras import extra_command


@pytest.mark.parametrize(
    ("recorded", "command"),
    [
        (None, "pip install 'first-occupancy-paper[robotics]'"),
        ({"dir_info": {}}, "pip install './reproduction[robotics]'"),
        ({"dir_info": {"editable": True}}, "pip install -e './reproduction[robotics]'"),
    ],
    ids=["by name", "from a checkout", "editable"],
)
def test_the_command_names_this_package_and_its_folder(recorded, command, monkeypatch):
    class Distribution:
        def __init__(self, name):
            assert name == "first-occupancy-paper"

        def read_text(self, name):
            return None if recorded is None else json.dumps(recorded)

    monkeypatch.setattr(install_hints, "distribution", Distribution)
    assert extra_command("robotics") == command
