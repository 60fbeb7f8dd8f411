"""Common units of durations."""

import numpy as np

from first_occupancy.representations._solvers.lattices import lattice


def test_multiples_of_a_unit_are_exact():
    found = lattice(np.array([0.3, 0.2, 0.7]))
    assert abs(found.unit - 0.1) < 1e-15
    assert found.delays.tolist() == [3, 2, 7]
    assert found.rounding == 0
    assert lattice(np.array([5e9, 1e10])).delays.tolist() == [1, 2]


def test_durations_without_a_unit_are_rounded_by_the_error_that_is_stated():
    times = np.array([1.0, np.sqrt(2), np.pi])
    found = lattice(times)
    gap = np.abs(found.delays * found.unit / times - 1).max()
    assert 0 < gap <= found.rounding * (1 + 1e-9)
    assert found.rounding < 1e-3


def test_scales_that_are_far_apart_make_the_unit_coarser():
    times = np.array([1e-6, 1.0, 3.0])
    found = lattice(times)
    assert found.delays.max() <= 4096
    assert found.rounding > 1e-3
