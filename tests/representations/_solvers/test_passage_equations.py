"""Probabilities, means and variances of first passage, against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array

from first_occupancy.core.errors import PrecisionWarning
from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.representations._solvers import arrivals as solver
from first_occupancy.representations._solvers.passage_equations import PassageEquations
from rational_chains import arrival, as_floats, moments, random_chain, rarely_left


def equations(rows, goals, times=None):
    return passage(csr_array(as_floats(rows)), goals, times)


def passage(chain, targets, times=None):
    return PassageEquations(TimedMoves(chain, times), np.array(targets), np.zeros(0, int))


@pytest.mark.parametrize("slowest", [0, 12])
def test_moments_are_those_of_rational_arithmetic_where_states_are_rarely_left(slowest):
    rng = np.random.default_rng(slowest)
    for _ in range(60):
        rows = random_chain(rng, int(rng.integers(2, 9)))
        rows = rarely_left(rows, rng, slowest=slowest) if slowest else rows
        goals = [int(rng.integers(len(rows)))]
        found, exact = equations(rows, goals), arrival(rows, goals)
        probability = found.undiscounted.values
        for state, truth in enumerate(exact):
            assert (probability[state] == 0) == (truth == 0)
            assert (probability[state] == 1) == (truth == 1)
        np.testing.assert_allclose(probability, [float(each) for each in exact], rtol=1e-12)
        first, second = moments(rows, goals)
        for state, (v, one, two) in enumerate(zip(exact, first, second, strict=True)):
            mean = float(one / v) if v else np.inf
            np.testing.assert_allclose(found.mean[state], mean, rtol=1e-12)
            std = float(two / v - (one / v) ** 2) ** 0.5 if v else np.nan
            np.testing.assert_allclose(found.std[state], std, rtol=1e-11)


def test_expected_discounts_are_those_of_rational_arithmetic():
    rng, factor = np.random.default_rng(3), Fraction(999, 1000)
    for _ in range(60):
        rows = random_chain(rng, int(rng.integers(2, 9)))
        found = equations(rows, [0]).arrivals(float(factor)).values
        np.testing.assert_allclose(
            found, [float(x) for x in arrival(rows, [0], factor)], rtol=1e-12
        )


def test_the_variance_of_a_long_and_nearly_certain_journey_keeps_its_digits():
    """10,000 steps that take 0 or 1 more with probability 1e-6: the squares would cancel."""
    size, rare = 1001, 1e-6
    chain = csr_array((size, size))
    steps = np.arange(size - 1)
    chain = csr_array(
        (
            np.concatenate([np.full(size - 1, rare), np.full(size - 1, 1 - rare), [1.0]]),
            (
                np.append(np.tile(steps, 2), size - 1),
                np.append(np.append(steps, steps + 1), size - 1),
            ),
        ),
        shape=(size, size),
    )
    found = passage(chain, [size - 1])
    exact = (size - 1) * rare / (1 - rare) ** 2
    np.testing.assert_allclose(found.std[0], exact**0.5, rtol=1e-9)


def test_moves_that_take_time_have_the_moments_of_their_durations():
    # 2 or 5 units with equal chances, a third of the time staying for 1 unit.
    chain = csr_array(([1 / 3, 1 / 3, 1 / 3, 1.0], [0, 1, 1, 1], [0, 3, 4]), shape=(2, 2))
    found = passage(chain, [1], np.array([1.0, 2.0, 5.0, 1.0]))
    # T = N + D, N geometric: E[N] = 1/2, Var N = 3/4; D 2 or 5.
    np.testing.assert_allclose([found.mean[0], found.std[0]], [0.5 + 3.5, 3**0.5])
    worth = sum(0.9**d for d in (2, 5)) / 3
    np.testing.assert_allclose(found.arrivals(0.9).values[0], worth / (1 - 0.9 / 3))


def test_a_rare_stay_keeps_the_digits_that_are_given():
    rare = 5.7e-12
    found = passage(csr_array([[rare, 1 - rare], [0.0, 1.0]]), [1])
    np.testing.assert_allclose(found.std[0], rare**0.5 / (1 - rare), rtol=1e-12)


def test_rows_that_do_not_sum_to_1_stay_with_what_they_lack():
    lacking = csr_array([[0.0, 0.5, 0.5 - 1e-6], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = passage(lacking, [1])
    np.testing.assert_allclose(found.undiscounted.values[0], 0.5 / (1 - 1e-6), rtol=1e-13)


def test_the_error_that_is_stated_holds_where_sweeps_would_take_too_long():
    """A walk of 2,000 cells with one end: factors, whose error is bounded by what they leave."""
    size = 2000
    walk = eye_array(size, k=1) / 2 + eye_array(size, k=-1) / 2
    found = passage(csr_array(walk + csr_array(([0.5], ([size - 1], [size - 1])), walk.shape)), [0])
    states = np.arange(size)
    exact = states * (2.0 * size - 1 - states)
    assert found.mean[-1] > 1e6
    assert not found.undiscounted.equations._converges
    np.testing.assert_allclose(found.mean, exact, rtol=found.error)
    assert found.error < 1e-8


def test_times_whose_squares_overflow_have_a_standard_deviation():
    rare = 1e-160
    found = passage(csr_array([[0.0, 0.5, 0.5], [0.0, 1 - rare, rare], [0.0, 0.0, 1.0]]), [2])
    np.testing.assert_allclose(found.std[:2], [0.75**0.5 * 1e160, 1e160])


def test_where_factors_lose_digits_a_warning_says_so_and_the_stated_error_covers_it(monkeypatch):
    """A long corridor that is left once in 1e12 visits to its end."""
    size, rare = 300, 1e-12
    walk = (eye_array(size, k=1) / 2 + eye_array(size, k=-1) / 2).tolil()
    walk[0, 0], walk[-1, -2], walk[-1, -1] = 1, 1 - rare, 0
    walk[1, 0], walk[1, 1], walk[1, 2] = rare, 0.5 - rare, 0.5
    walk[0, 1] = 0
    exact = passage(csr_array(walk), [0])
    assert exact.mean[1] > 1e12
    assert exact.error < 1e-12
    monkeypatch.setattr(solver, "ELIMINATED_UP_TO", 0)
    found = passage(csr_array(walk), [0])
    with pytest.warns(PrecisionWarning, match="first arrivals: numbers may be inaccurate"):
        gap = np.abs(found.mean[1:] / exact.mean[1:] - 1).max()
    assert gap <= found.error + exact.error
