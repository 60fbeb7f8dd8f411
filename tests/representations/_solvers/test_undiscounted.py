"""Probabilities to ever arrive, against rational arithmetic."""

import numpy as np

from first_occupancy.representations._solvers.undiscounted import probabilities_to_arrive
from rational_chains import arrival, as_floats, random_chain


def test_every_entry_is_that_of_rational_arithmetic_zeros_and_ones_included():
    rng = np.random.default_rng(3)
    for _ in range(60):
        size = int(rng.integers(1, 8))
        rows = random_chain(rng, size)
        found = probabilities_to_arrive(as_floats(rows))
        for goal in range(size):
            exact = arrival(rows, [goal])
            for number, truth in zip(found[:, goal], exact, strict=True):
                assert (number == 0) == (truth == 0)
                assert (number == 1) == (truth == 1)
                np.testing.assert_allclose(number, float(truth), rtol=1e-12)


def test_walks_may_end_where_rows_sum_to_less_than_one():
    found = probabilities_to_arrive(np.array([[0.0, 0.5], [0.5, 0.0]]))
    np.testing.assert_allclose(found, [[1, 0.5], [0.5, 1]])
