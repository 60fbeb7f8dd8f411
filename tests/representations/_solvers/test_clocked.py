"""The loops over time are tested through `Induction` and `Arrival`; here against each other."""

import numpy as np
from scipy.sparse import csr_array

from first_occupancy.representations._solvers.clocked import carried
from first_occupancy.representations._solvers.induction import Induction

MOVES = np.array([0, 2, 2]), np.array([0, 1]), np.array([0.25, 0.75]), np.array([1, 2])
"""From state 0: stay for one unit, or go to state 1 in two."""


def test_backward_and_forward_in_time_agree():
    starts, ends, chances, delays = MOVES
    chain = csr_array((chances, ends, starts), shape=(2, 2))
    backward = Induction(chain, delays, np.array([1]), np.zeros(0, int))
    by = [backward.until(time)[0] for time in range(8)]
    mass, arrived = np.zeros((3, 2)), np.zeros(8)
    mass[0, 0] = 1
    carried(*MOVES, np.array([[0, -1]]), np.array([False, True]), mass, 0, arrived)
    np.testing.assert_allclose(np.cumsum(arrived), by, rtol=1e-15)
    np.testing.assert_allclose(arrived[:5], [0, 0, 0.75, 0.75 / 4, 0.75 / 16])
