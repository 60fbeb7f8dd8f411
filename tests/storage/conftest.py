"""What the tests of storage share."""

import pytest

from first_occupancy.storage import saving


@pytest.fixture(autouse=True)
def _built_in_kinds_alone(monkeypatch):
    """Forget the kinds that other parts of the library register when they are imported."""
    for name in saving.HOMES:
        saving._learn_of(name)  # or the first test to need one would be the only one to have it
    built_in = {name: kind for name, kind in saving._KINDS.items() if name in saving.HOMES}
    monkeypatch.setattr(saving, "_KINDS", built_in)
