"""Corrected intervals hold the truth as often as they say, where they are trusted."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import beta

import interval_logs
from first_occupancy.interop.data.corrected_intervals import (
    UntrustedWarning,
    corrected_interval,
    estimate_with_interval,
    with_unseen_moves,
)
from first_occupancy.interop.data.logs import EmpiricalChains, count_transitions, transition_log
from first_occupancy.representations import first_occupancy, successor

SIDE, DISCOUNT = 4, 0.9


def random_walk(side):
    """Return the chain of a random walk on a grid."""
    chain = np.zeros((side**2, side**2))
    for row in range(side):
        for column in range(side):
            ways = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
            inside = [(r, c) for r, c in ways if 0 <= r < side and 0 <= c < side]
            for r, c in inside:
                chain[row * side + column, r * side + c] = 1 / len(inside)
    return chain


CHAIN = random_walk(SIDE)


def walked(number, num_steps):
    """Yield counts of random walks."""
    rng = np.random.default_rng(0)
    sums = CHAIN.cumsum(axis=1)
    for _ in range(number):
        states = [int(rng.integers(SIDE**2))]
        for draw in rng.random(num_steps):
            states.append(int((sums[states[-1]] < draw).sum()))
        log = transition_log(np.array(states[:-1]), np.array(states[1:]), num_states=SIDE**2)
        yield count_transitions(log)


def counted(counts, terminal=()):
    """Return an `EmpiricalChains` of counts [N S S]."""
    counts = jnp.asarray(counts, int)
    ended = jnp.isin(jnp.arange(counts.shape[-1]), jnp.asarray(terminal, int))
    return EmpiricalChains(counts, ended)


def quietly(empirical, discount=DISCOUNT, seed=0, **options):
    """Return intervals without the warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UntrustedWarning)
        return estimate_with_interval(empirical, jax.random.key(seed), discount=discount, **options)


@pytest.mark.parametrize("representation", [first_occupancy, successor])
def test_intervals_hold_the_truth_as_often_as_they_say(representation):
    truth = representation.solve(jnp.asarray(CHAIN), discount=DISCOUNT)
    apart, held, trusted, number = ~np.eye(SIDE**2, dtype=bool), [], [], 60
    for trial, empirical in enumerate(walked(number, 1500)):
        found = quietly(empirical, seed=trial, num_resamples=100, representation=representation)
        assert bool(((found.low <= found.estimate) & (found.estimate <= found.high)).all())
        trusted.append(np.asarray(found.trusted).mean())
        held.append(np.asarray((found.low[0] <= truth) & (truth <= found.high[0]))[apart].mean())
    assert np.mean(trusted) > 0.98
    # Two points, and four standard errors over logs, within which pairs depend on each other.
    slack = 0.02 + 4 * np.std(held) / np.sqrt(number)
    assert abs(np.mean(held) - 0.95) < slack


def test_few_transitions_are_trusted_only_where_intervals_hold_the_truth():
    """Four moves from each of 16 states, on average."""
    empirical = next(walked(1, 60))
    with pytest.warns(UntrustedWarning, match="of 256 estimates rest on too few transitions"):
        estimate_with_interval(empirical, jax.random.key(0), discount=DISCOUNT, num_resamples=50)
    number, apart = 60, ~np.eye(SIDE**2, dtype=bool)
    found = quietly(counted(jnp.concatenate([log.counts for log in walked(number, 60)])))
    truth = first_occupancy.solve(jnp.asarray(CHAIN), discount=DISCOUNT)
    held = np.asarray((found.low <= truth[None]) & (truth[None] <= found.high))
    trusted = np.asarray(found.trusted) & apart
    assert trusted.any(axis=(1, 2)).all()
    share = np.array([log[sure].mean() for log, sure in zip(held, trusted, strict=True)])
    assert share.mean() > 0.93 - 4 * share.std() / np.sqrt(number)
    assert held[:, apart].mean() < 0.85
    assert bool(((found.low <= found.estimate) & (found.estimate <= found.high)).all())
    np.testing.assert_array_equal(np.diagonal(found.low, axis1=1, axis2=2), 1)
    assert np.diagonal(found.trusted, axis1=1, axis2=2).all()


def test_what_no_resample_moves_is_not_trusted():
    chain = np.array([[0.97, 0.02, 0.01], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])
    logs = counted(np.random.default_rng(31).multinomial(50, chain, (60, 3)))
    never = np.asarray(logs.counts)[:, 0, 2] == 0  # and no other state leads there
    assert 20 < never.sum() < 50
    for representation in (first_occupancy, successor):
        found = quietly(logs, representation=representation)
        assert not np.asarray(found.trusted)[never, 0, 2].any()
        fixed = np.asarray((found.low == found.high) & found.trusted)
        # Only the FR of a state to itself is exact.
        exact = np.eye(3, dtype=bool) if representation is first_occupancy else False
        assert not (fixed & ~exact).any()
    everywhere = counted(50 * np.roll(np.eye(5, dtype=int), 1, axis=1)[None])
    np.testing.assert_array_equal(quietly(everywhere).trusted[0], np.eye(5, dtype=bool))


def test_rounding_does_not_count_as_a_move():
    # 0 -> 1 -> 2 never failed; what follows 2 varies, and enters the same elimination.
    counts = np.zeros((1, 6, 6), int)
    counts[0, [0, 1], [1, 2]] = 50
    counts[0, 2:] = np.random.default_rng(0).multinomial(50, np.ones(6) / 6, 4)
    for dtype in ("float32", "float64"):
        with jax.enable_x64(dtype == "float64"):
            found = quietly(counted(counts), discount=0.95)
            assert found.low.dtype == dtype
            assert not np.asarray(found.trusted)[0, [0, 0, 1], [1, 2, 2]].any()


def test_unmarked_ends_are_trusted_less_than_marked_ones():
    counts = np.zeros((1, 3, 3), int)
    counts[0, 0], counts[0, 1] = (60, 20, 20), (30, 60, 10)
    marked, plain = quietly(counted(counts, [2]), 0.99), quietly(counted(counts), 0.99)
    assert np.asarray(marked.trusted)[0, [0, 1], [1, 0]].all()
    assert not np.asarray(plain.trusted)[0, [0, 1], [1, 0]].any()
    for name in ("low", "high", "estimate"):
        np.testing.assert_array_equal(getattr(marked, name), getattr(plain, name))


def test_unseen_moves_follow_good_and_turing():
    counts = np.array([[[6, 1, 1, 0], [2, 8, 0, 0], [0, 0, 9, 0], [0, 0, 0, 0]]])
    usual = (2 + 0 + 0) / 3
    shares = [2 / 8, usual / 10, usual / 9, 1]
    for terminal, share in (([], shares[2:]), ([2, 3], [0, 0])):
        wanted = [*shares[:2], *share]
        chains = np.asarray(with_unseen_moves(counted(counts, terminal)))[0]
        for state, new in enumerate(wanted):
            known = counts[0, state] / max(counts[0, state].sum(), 1)
            if not known.any():
                known = np.eye(4)[state]
            np.testing.assert_allclose(chains[state], (1 - new) * known + new / 4, rtol=1e-6)


@pytest.mark.parametrize("exits", [2, 5, 20])
@pytest.mark.parametrize("fails", [True, False])
def test_the_interval_of_one_rare_event_is_that_of_its_rate(exits, fails):
    """Jeffreys' interval: the quantiles of a beta distribution (Brown, Cai and DasGupta 2001)."""
    moves = 400
    ahead = moves - exits if fails else exits  # a rare failure to go, or a rare move
    counts = [[[moves - ahead, ahead], [0, moves]]]
    found = quietly(counted(counts, [1]), num_resamples=20_000)
    frs = np.array([found.low[0, 0, 1], found.estimate[0, 0, 1], found.high[0, 0, 1]])
    rates = moves * (1 - DISCOUNT) / DISCOUNT * frs / (1 - frs)
    exact = beta(exits + 0.5, moves - exits + 0.5).ppf([0.025, 0.5, 0.975]) * moves
    # What the expansion leaves out, and 4 standard errors of the quantiles.
    atol = 0.6 / np.sqrt(exits) + 0.3
    np.testing.assert_allclose(np.sort(moves - rates if fails else rates), exact, rtol=0, atol=atol)


@pytest.mark.parametrize("representation", [first_occupancy, successor])
def test_trusted_intervals_hold_the_truth_where_states_are_left_rarely(representation):
    """The full size: `python tests/long/interval_coverage.py`."""
    rng, number = np.random.default_rng(7), 40
    hits, trusted, known, known_trusted = [], [], 0, 0
    for name in interval_logs.RARELY_LEFT:
        seen = interval_logs.measure(
            name, number, rng, discount=DISCOUNT, representation=representation
        )
        hits.append(np.asarray(seen.trusted & seen.covered).sum(axis=(1, 2)))
        trusted.append(seen.trusted.sum(axis=(1, 2)))
        known += seen.well_known.sum()
        known_trusted += (seen.well_known & seen.trusted).sum()
    hits, trusted = np.concatenate(hits), np.concatenate(trusted)
    coverage = hits.sum() / trusted.sum()
    # Binomial, over logs: intervals of one log depend on each other.
    slack = 4 * np.sqrt(0.93 * 0.07 / np.count_nonzero(trusted))
    assert coverage > 0.93 - slack, coverage
    assert known > 200
    assert known_trusted > 0.8 * known


def test_a_shift_of_the_resampled_values_is_taken_off():
    rng = np.random.default_rng(0)
    estimate = jnp.full((1, 1, 1), 0.5)
    resampled = jnp.asarray(1 / (1 + np.exp(0.3 - 0.5 * rng.normal(size=(4000, 1, 1, 1)))))
    found = corrected_interval(estimate, resampled)
    logit = lambda values: float(jnp.log(values / (1 - values))[0, 0, 0])  # noqa: E731
    assert logit(found.estimate) == pytest.approx(0.3, abs=0.03)
    assert logit(found.low) == pytest.approx(0.3 - 1.96 * 0.5, abs=0.05)


def test_mistakes_are_named(error_of):
    ones = jnp.full((39, 1, 2, 2), 0.5)
    assert error_of(lambda: corrected_interval(ones[0], ones, level=1.0)) == (
        "corrected_interval: level must be between 0 and 1, got 1.0"
    )
    assert error_of(lambda: corrected_interval(ones[0], ones[:38])) == (
        "corrected_interval: the number of resamples must be at least 39 for level 0.95, got 38"
    )
    empirical = next(walked(1, 300))
    assert error_of(lambda: quietly(empirical, level=0.99, num_resamples=198)) == (
        "estimate_with_interval: num_resamples must be at least 199 for level 0.99, got 198"
    )
