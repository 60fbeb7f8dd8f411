"""The loops over time are tested through `Passage.by` and `Arrival`; here each by itself."""

import numpy as np

from first_occupancy.representations._solvers.clocked import arrived_by, carried

MOVES = np.array([0, 2]), np.array([0, 1]), np.array([0.25, 0.75]), np.array([1, 2])
"""From state 0: stay for one unit, or go to state 1 in two."""


def test_backward_and_forward_in_time_agree():
    ring = np.array([[0.0, 1.0]] * 3)
    by = [0.0]
    for time in range(1, 8):
        arrived_by(*MOVES, np.array([0]), ring, time, time + 1)
        by.append(ring[time % 3, 0])
    mass, arrived = np.zeros((3, 2)), np.zeros(8)
    mass[0, 0] = 1
    carried(*MOVES, np.array([[0, -1]]), np.array([False, True]), mass, 0, arrived)
    np.testing.assert_allclose(np.cumsum(arrived), by, rtol=1e-15)
    np.testing.assert_allclose(arrived[:5], [0, 0, 0.75, 0.75 / 4, 0.75 / 16])
