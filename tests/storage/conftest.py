"""What the tests of storage share."""

import pytest

from first_occupancy.storage import saving


@pytest.fixture(autouse=True)
def _built_in_kinds_alone(monkeypatch):
    """Forget the kinds that other parts of the library register when they are imported."""
    built_in = {name: kind for name, kind in saving._KINDS.items() if name in saving.HOMES}
    monkeypatch.setattr(saving, "_KINDS", built_in)
