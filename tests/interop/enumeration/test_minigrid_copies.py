"""What can be known of MiniGrid without it; with it, it is tested in `tests/peers`."""

from first_occupancy.interop.enumeration.minigrid_copies import is_minigrid
from functional_worlds import Corridor


def test_other_environments_are_not_taken_for_minigrid():
    assert not is_minigrid(Corridor())
