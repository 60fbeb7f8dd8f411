"""First passage from every state."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import csr_array

import first_occupancy as fo
from first_occupancy.core.timed_moves import TimedMoves
from first_occupancy.representations.passages import Passage
from rational_chains import as_floats, random_chain


def passage(chain, targets, avoided=(), **options):
    moves = TimedMoves(csr_array(np.asarray(chain, float)))
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
