"""First passage from every state; moments against rational arithmetic."""

from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array

import first_occupancy as fo
from first_occupancy.core.errors import PrecisionWarning
from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.representations._solvers import arrivals as solver
from first_occupancy.representations.passages import Passage
from rational_chains import arrival, as_floats, moments, random_chain, rarely_left


def passage(chain, targets, avoided=(), times=None, **options):
    moves = TimedMoves(csr_array(chain, dtype=float), times)
    return Passage(moves, np.array(targets), np.array(avoided, int), **options)


def enumerated(chain, target, steps):
    """Return P(T <= t) for t up to a number of steps, by powers of the absorbing chain."""
    absorbing = np.array(chain)
    absorbing[target] = np.eye(len(chain))[target]
    rows = [np.eye(len(chain))[:, target]]
    for _ in range(steps):
        rows.append(absorbing @ rows[-1])
    return np.array(rows)


def test_distributions_and_quantiles_are_those_of_powers_of_the_chain():
    rng = np.random.default_rng(0)
    for _ in range(40):
        chain = as_floats(random_chain(rng, int(rng.integers(2, 8))))
        found, exact = passage(chain, [0]), enumerated(chain, 0, 60)
        for time in (0, 1, 2, 7, 60):
            np.testing.assert_allclose(found.by(time), exact[time], rtol=1e-12, atol=0)
        shares = exact[:, :] / np.where(found.probability > 0, found.probability, 1)
        for share in (0.1, 0.5):
            quantile = found.quantile(share)
            for state in np.flatnonzero(shares[-1] > share):
                assert quantile[state] == np.argmax(shares[:, state] >= share * (1 - 1e-14))
            assert np.isinf(quantile[found.probability == 0]).all()


def test_theory_the_fr_is_the_generating_function_of_the_time_of_arrival():
    rng = np.random.default_rng(1)
    chain = as_floats(random_chain(rng, 6))
    for discount in (0.5, 0.9, 0.999):
        fr = np.asarray(fo.first_occupancy.solve(jnp.asarray(chain), discount=discount))[:, 0]
        found = passage(chain, [0], discount=discount)
        np.testing.assert_allclose(found.expected_discount, fr, rtol=1e-11)
        times = found.arrival(3).distribution(40_000)
        np.testing.assert_allclose(times @ discount ** np.arange(40_000.0), fr[3], rtol=1e-11)


def test_theory_means_are_derivatives_of_the_fr():
    rng = np.random.default_rng(2)
    chain = as_floats(random_chain(rng, 6))
    found, step = passage(chain, [0]), 1e-6
    lower = passage(chain, [0], discount=1 - step).expected_discount
    some = found.probability > 0
    slope = (found.probability - lower)[some] / step / found.probability[some]
    np.testing.assert_allclose(slope, found.mean[some], rtol=1e-3)


def test_theory_the_fr_is_what_survival_lacks():
    """F = 1 - (1 - discount) * sum of discount^t P(T > t)."""
    rng, discount, times = np.random.default_rng(3), 0.95, 2000
    chain = as_floats(random_chain(rng, 6))
    survival = 1 - enumerated(chain, 0, times)
    weights = (1 - discount) * discount ** np.arange(times + 1.0)
    found = passage(chain, [0], discount=discount).expected_discount
    np.testing.assert_allclose(1 - weights @ survival, found, atol=1e-12)


def test_zeros_ones_and_infinities_are_exact_on_reducible_chains():
    chain = [[0.1, 0.6, 0.3, 0], [0, 1, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0, 1]]
    found = passage(chain, [3])
    np.testing.assert_allclose(found.probability, [1 / 3, 0, 1, 1], rtol=1e-15)
    assert found.probability[1:].tolist() == [0, 1, 1]
    assert np.isinf(found.mean[1])
    assert np.isnan(found.std[1])
    assert found.mean[3] == 0
    assert found.committors[:, 0].tolist() == found.probability.tolist()
    both = passage(chain, [1, 3])
    assert both.probability.tolist() == [1, 1, 1, 1]
    np.testing.assert_allclose(both.committors[0], [2 / 3, 1 / 3])
    assert passage(chain, [3], [2]).probability.tolist() == [0, 0, 0, 1]


def test_a_rarely_left_state_has_quantiles_far_in_the_future():
    rare = 1e-9
    found = passage([[1 - rare, rare], [0, 1]], [1])
    expected = np.log(0.1) / np.log1p(-rare)
    np.testing.assert_allclose(found.quantile(0.9)[0], expected, rtol=1e-6)
    np.testing.assert_allclose([found.mean[0], found.std[0]], [1e9, 1e9], rtol=1e-9)


def test_moves_without_a_common_unit_have_a_distribution_within_the_error_that_is_stated():
    chain = csr_array(([0.5, 0.5, 1.0], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    moves = TimedMoves(chain, np.array([np.sqrt(2), 1.0, 1.0]))
    arrival = Passage(moves, np.array([1]), np.zeros(0, int)).arrival(0)
    assert 0 < arrival.rounding < 1e-3
    for stays in (0, 3, 8):
        time = 1 + stays * np.sqrt(2)
        assert arrival.by(time * (1 + 2 * arrival.rounding)) == pytest.approx(
            1 - 0.5 ** (stays + 1)
        )
        assert arrival.by(time * (1 - 2 * arrival.rounding)) == pytest.approx(1 - 0.5**stays)


def test_the_summary_says_from_where_how_surely_and_how_soon():
    assert repr(passage([[0.5, 0.5], [0, 1]], [1])) == (
        "Passage to 1\n  from 1 of 1 other state, with probability 1\n"
        "  expected time, given arrival, 2"
    )


def test_a_certain_time_is_a_multiple_of_the_unit_also_where_arriving_is_not_certain():
    share = 0.09647350688586942
    chain = [[0, share, 1 - share], [0, 1, 0], [0, 0, 1]]
    found = Passage(TimedMoves(csr_array(chain), np.ones(4)), np.array([1]), np.zeros(0, int))
    arrival = found.arrival(0)
    assert (arrival.unit, arrival.distribution(3).tolist()) == (1, [0, share, 0])


@pytest.mark.parametrize("slowest", [0, 12])
def test_moments_are_those_of_rational_arithmetic_where_states_are_rarely_left(slowest):
    rng = np.random.default_rng(slowest)
    for _ in range(60):
        rows = random_chain(rng, int(rng.integers(2, 9)))
        rows = rarely_left(rows, rng, slowest=slowest) if slowest else rows
        goals = [int(rng.integers(len(rows)))]
        found, exact = passage(as_floats(rows), goals), arrival(rows, goals)
        probability = found.probability
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
        found = passage(as_floats(rows), [0], discount=float(factor)).expected_discount
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
    found = passage(chain, [1], times=np.array([1.0, 2.0, 5.0, 1.0]), discount=0.9)
    # T = N + D, N geometric: E[N] = 1/2, Var N = 3/4; D 2 or 5.
    np.testing.assert_allclose([found.mean[0], found.std[0]], [0.5 + 3.5, 3**0.5])
    worth = sum(0.9**d for d in (2, 5)) / 3
    np.testing.assert_allclose(found.expected_discount[0], worth / (1 - 0.9 / 3))


def test_a_rare_stay_keeps_the_digits_that_are_given():
    rare = 5.7e-12
    found = passage(csr_array([[rare, 1 - rare], [0.0, 1.0]]), [1])
    np.testing.assert_allclose(found.std[0], rare**0.5 / (1 - rare), rtol=1e-12)


def test_rows_that_do_not_sum_to_1_stay_with_what_they_lack():
    lacking = csr_array([[0.0, 0.5, 0.5 - 1e-6], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = passage(lacking, [1])
    np.testing.assert_allclose(found.probability[0], 0.5 / (1 - 1e-6), rtol=1e-13)


def test_the_error_that_is_stated_holds_where_sweeps_would_take_too_long():
    """A walk of 2,000 cells with one end: factors, whose error is bounded by what they leave."""
    size = 2000
    walk = eye_array(size, k=1) / 2 + eye_array(size, k=-1) / 2
    found = passage(csr_array(walk + csr_array(([0.5], ([size - 1], [size - 1])), walk.shape)), [0])
    states = np.arange(size)
    exact = states * (2.0 * size - 1 - states)
    assert found.mean[-1] > 1e6
    assert not found._undiscounted.equations._converges
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
