"""Expected sums along chains, and the bounds on their errors, against dense solves."""

import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array

from first_occupancy.core.errors import PrecisionWarning
from first_occupancy.representations._solvers import expected_sums
from first_occupancy.representations._solvers.expected_sums import ExpectedSums


def random_jumps(rng, size, degree=4, ending=0.01):
    ends = rng.integers(0, size, (size, degree))
    starts = np.repeat(np.arange(size), degree)
    shares = rng.dirichlet(np.ones(degree), size) * (1 - ending)
    jumps = csr_array((shares.ravel(), (starts, ends.ravel())), shape=(size, size))
    jumps.setdiag(0)
    return jumps, 1 - np.asarray(jumps.sum(axis=1))


@pytest.mark.parametrize("size", [1, 40, 300])
def test_sums_solve_the_equations_within_the_error_that_is_stated(size):
    rng = np.random.default_rng(size)
    jumps, exits = random_jumps(rng, size)
    for right in (np.ones(size), rng.random(size), (np.arange(size) == 0).astype(float)):
        sums = ExpectedSums(jumps, exits)
        found = sums.solved(right)
        exact = np.linalg.solve(np.eye(size) - jumps.toarray(), right)
        reached = exact > 1e-13
        assert sums.error <= 1e-9
        gap = np.abs(found - exact)[reached] / exact[reached]
        assert gap.max() <= sums.error + 1e-11


def test_where_products_stagnate_factors_are_used(monkeypatch):
    monkeypatch.setattr(expected_sums, "PRODUCTS", 2)
    size = 900
    walk = csr_array((eye_array(size, k=1) + eye_array(size, k=-1)) / 2)
    sums = ExpectedSums(walk, 1 - np.asarray(walk.sum(axis=1)))
    steps = np.arange(1, size + 1)
    np.testing.assert_allclose(sums.solved(np.ones(size)), steps * (size + 1 - steps), rtol=1e-9)


def test_a_bound_that_is_too_wide_is_told(monkeypatch):
    monkeypatch.setattr(expected_sums, "PRODUCTS", 2)
    monkeypatch.setattr(expected_sums, "FACTORISED_UP_TO", 0)
    monkeypatch.setattr(expected_sums, "NEARLY_UNCOUPLED_UP_TO", 0)
    size = 900
    walk = csr_array((eye_array(size, k=1) + eye_array(size, k=-1)) / 2)
    sums = ExpectedSums(walk, 1 - np.asarray(walk.sum(axis=1)))
    with pytest.warns(PrecisionWarning, match="hitting"):
        sums.solved(np.ones(size))
    assert sums.error > 1e-3
