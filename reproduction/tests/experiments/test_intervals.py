"""The ledger's intervals, against tables and by how often they hold the truth."""

import numpy as np

from first_occupancy_paper.experiments.intervals import half_width, wilson


def test_half_of_a_means_interval_is_t_times_the_standard_error():
    samples = [1.0, 2.0, 4.0, 7.0]
    # 3.182446 is the .975 quantile of Student's t with 3 degrees of freedom.
    expected = 3.182446 * np.std(samples, ddof=1) / 2
    np.testing.assert_allclose(half_width(samples), expected, rtol=1e-6)
    assert half_width([3.0]) == half_width([]) == 0
    # 4.856657 is the .975 quantile shared by three: 1 - .025 / 3.
    shared = 4.856657 * np.std(samples, ddof=1) / 2
    np.testing.assert_allclose(half_width(samples, tests=3), shared, rtol=1e-6)


def test_wilsons_interval_is_its_formula():
    z = 1.959964
    for count, total in ((0, 10), (3, 10), (10, 10), (37, 400)):
        share, weight = count / total, z**2 / total
        middle = (share + weight / 2) / (1 + weight)
        spread = z * np.sqrt(share * (1 - share) / total + weight / (4 * total)) / (1 + weight)
        np.testing.assert_allclose(
            wilson(count, total), (middle - spread, middle + spread), rtol=1e-6, atol=1e-12
        )
    assert wilson(0, 0) == (0, 1)


def test_means_of_few_samples_lie_within_as_often_as_they_should():
    draws = np.random.default_rng(0).normal(size=(500, 4))
    held = np.mean([abs(row.mean()) <= half_width(row) for row in draws])
    assert abs(held - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 500)
