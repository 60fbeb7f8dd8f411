"""Intervals of differences are those of SciPy's tests, paired where seeds are shared."""

import numpy as np
import pytest
from scipy import stats

from first_occupancy_paper.experiments.answers import interval_of
from first_occupancy_paper.experiments.jaco_reaching.comparing import difference

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.normal(3, 1, 8), RANDOM.normal(2, 2, 8)


def by_seed(samples, first=0):
    return {first + seed: float(each) for seed, each in enumerate(samples)}


@pytest.mark.parametrize("tests", [1, 2])
def test_shared_seeds_are_paired(tests):
    expected = stats.ttest_rel(X, Y).confidence_interval(1 - 0.05 / tests)
    assert difference(by_seed(X), by_seed(Y), tests=tests)[1:3] == pytest.approx(tuple(expected))


def test_other_seeds_are_not():
    expected = stats.ttest_ind(X, Y[:5], equal_var=False).confidence_interval(0.95)
    assert difference(by_seed(X), by_seed(Y[:5], 20))[1:3] == pytest.approx(tuple(expected))


def test_the_interval_of_a_mean_is_students():
    expected = stats.ttest_1samp(X, 0).confidence_interval(0.95)
    assert interval_of(X) == pytest.approx(tuple(expected))
