"""Backward induction by itself; `test_deadlines` and `test_passages` test what it finds."""

import numpy as np
from scipy.sparse import csr_array

from first_occupancy.representations._solvers import induction
from first_occupancy.representations._solvers.induction import Induction


def corridor(size):
    """Return the induction of a corridor of which the end is the target."""
    ends = np.minimum(np.arange(size) + 1, size - 1)
    moves = csr_array((np.ones(size), (np.arange(size), ends)), shape=(size, size))
    return Induction(moves, np.ones(size, np.int64), np.array([size - 1]), np.zeros(0, int))


def changes(found):
    return [
        tuple(int(each[i]) for each in part) for part in found.changes for i in range(len(part[0]))
    ]


def test_it_stops_once_nothing_changes():
    found = corridor(3)
    assert found.until(0).tolist() == [0, 0, 1]
    assert found.until(1).tolist() == [0, 1, 1]
    assert found.until(100).tolist() == found.until(2**40).tolist() == [1, 1, 1]
    assert changes(found) == [(1, 0, 1), (0, 0, 2)]


def test_it_goes_on_where_room_for_changes_ran_out(monkeypatch):
    whole = corridor(40)
    whole.until(50)
    monkeypatch.setattr(induction, "ROOM", 1)
    parts = corridor(40)
    assert parts.until(30).tolist() == [0] * 9 + [1] * 31
    assert parts.until(50).tolist() == [1] * 40
    assert changes(parts) == changes(whole)
    assert len(parts.changes) > len(whole.changes)
