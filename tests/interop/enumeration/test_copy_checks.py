"""Replayed paths show where an environment goes elsewhere than its copies."""

import pytest

from first_occupancy.core import InputError
from first_occupancy.interop.enumeration._copy_checks import check_others, check_paths
from first_occupancy.interop.enumeration._copy_search import Expander, search
from first_occupancy.interop.enumeration.copying import Copies
from functional_worlds import Corridor, full_state


class WholeCopies(Copies):
    def whole(self):
        return self.environment.place


def found_with(key):
    expander = Expander(WholeCopies(Corridor()), key, 3, 0, 10, 0)
    return expander, search(expander, [0], limit=50, report=lambda *_: None)


def test_a_faithful_world_passes():
    expander, found = found_with(full_state)
    check_others(expander, found)
    check_paths(expander, found, [0])


def test_a_step_that_leads_elsewhere_is_told():
    expander, found = found_with(full_state)
    state, action, _, count = found.edges[1]
    found.edges[1] = (state, action, state, count)
    with pytest.raises(InputError, match=r"action 1 leads two states with the key .1, False"):
        check_paths(expander, found, [0])


def test_states_that_were_merged_wrongly_are_told():
    expander, found = found_with(lambda environment: environment.place[:2])
    with pytest.raises(
        InputError, match=r"but action 1 leads two states with the key \(2, True\) to"
    ):
        check_others(expander, found)
