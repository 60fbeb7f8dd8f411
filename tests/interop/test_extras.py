"""Who lacks an optional package is told how to get it."""

import pytest

from first_occupancy.core.install_hints import install_command
from first_occupancy.interop import extras
from first_occupancy.interop.states import states_of

pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch, error_of):
    monkeypatch.setattr(extras, "gymnasium", None)
    message = f"states_of: needs Gymnasium: {install_command('interop')}"
    assert error_of(lambda: states_of(None)) == message


def test_a_script_without_a_package_ends_with_one_sentence():
    with pytest.raises(SystemExit) as caught, extras.needs_extra("interop", "minigrid"):
        import nowhere_to_be_found  # noqa: F401
    command = install_command("interop")
    assert caught.value.code == f"This example needs nowhere_to_be_found: {command} minigrid"


def test_other_errors_of_a_script_pass():
    with pytest.raises(ZeroDivisionError), extras.needs_extra("interop"):
        _ = 1 / 0
