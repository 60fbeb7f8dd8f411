"""Backward induction by itself; `test_deadlines` tests it against a plain one."""

import numpy as np

from first_occupancy.planning._backward import induced

ROWS = np.array([0, 1, 2, 3]), np.array([1, 2, 2]), np.ones(3), np.ones(3, np.int64)
"""A corridor 0, 1, 2 of which the end is the goal."""


def test_it_stops_once_nothing_changes_and_goes_on_where_room_ran_out():
    ring, due, choice = np.zeros((2, 3)), np.array([-1, 1, -1]), np.full(3, -1)
    ring[:, 2] = 1
    before = np.array([0, 0, 1, 2]), np.array([0, 1])
    room = [np.empty(3, np.int32) for _ in range(3)]
    steps = []
    time = 1
    for _ in range(4):
        number, time = induced(*ROWS, *before, ring, due, choice, time, 100, *room)
        steps += [tuple(int(each[i]) for each in room) for i in range(number)]
    assert steps == [(1, 0, 1), (0, 0, 2)]
    assert ring[(time - 1) % 2].tolist() == [1, 1, 1]
