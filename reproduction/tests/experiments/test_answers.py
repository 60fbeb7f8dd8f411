"""Answers: an interval that holds both is open, and margins are those of the table."""

import numpy as np
import pytest

from first_occupancy_paper.experiments.answers import (
    Interval,
    above,
    below,
    every,
    half_width,
    interval_of,
    needed,
    same_mean,
    same_spread,
    some,
    spread_ratio,
    wilson,
    within,
)


@pytest.mark.parametrize(
    ("interval", "answer"), [((1.1, 2), True), ((0, 0.9), False), ((0.9, 1.1), None)]
)
def test_a_threshold_inside_the_interval_leaves_the_question_open(interval, answer):
    assert above(Interval(*interval), 1.0) is answer
    low, high = interval
    assert below(Interval(-high, -low), -1.0) is answer


def test_equivalence_takes_the_whole_interval():
    assert within(Interval(-0.1, 0.1), -0.1, 0.1) is True
    assert within(Interval(0.2, 0.3), -0.1, 0.1) is False
    assert within(Interval(-0.05, 0.2), -0.1, 0.1) is None


def test_no_wins_over_open_in_every_and_yes_in_some():
    assert every([True, None]) is None
    assert every([None, False]) is False
    assert every([True, True]) is True
    assert some([False, None]) is None
    assert some([None, True]) is True
    assert some([False, False]) is False


def test_a_loss_that_may_or_may_not_matter_is_open():
    assert needed(Interval(0.01, 0.04)) is True
    assert needed(Interval(-0.03, 0.04)) is False
    assert needed(Interval(-0.03, 0.06)) is None


def test_a_wide_interval_does_not_reproduce_a_mean():
    assert same_mean(1010.0, 5.0, (1000.0, 10.0)) is True
    assert same_mean(1010.0, 200.0, (1000.0, 10.0)) is None
    assert same_mean(500.0, 5.0, (1000.0, 10.0)) is False


def test_the_intervals_of_spreads_cover():
    random = np.random.default_rng(0)
    covered, printed = 0, 3.0
    for _ in range(400):
        ours, theirs = random.normal(0, printed, 500), random.normal(0, printed, 100)
        ratio = spread_ratio(ours, float(np.std(theirs, ddof=1)), len(theirs))
        covered += ratio.low < 1 < ratio.high
    assert 0.92 <= covered / 400 <= 0.98


def test_spreads_are_compared_by_a_factor():
    assert same_spread(Interval(0.6, 1.9)) is True
    assert same_spread(Interval(2.1, 3.0)) is False
    assert same_spread(Interval(1.5, 2.5)) is None


def test_the_interval_of_a_mean_is_the_t_interval():
    interval = interval_of(np.array([1.0, 2.0, 3.0]))
    assert interval.low == pytest.approx(2 - 4.3027 / np.sqrt(3), rel=1e-4)


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
