"""Corrected intervals hold the truth as often as they say, where percentile intervals do not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.interop.data.corrected_intervals import (
    UntrustedWarning,
    corrected_interval,
    estimate_with_interval,
)
from first_occupancy.interop.data.log_intervals import (
    interval,
    resample_chains,
    resample_transitions,
)
from first_occupancy.interop.data.logs import count_transitions, transition_log
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


@pytest.mark.parametrize("representation", [first_occupancy, successor])
def test_intervals_hold_the_truth_as_often_as_they_say(representation):
    truth = representation.solve(jnp.asarray(CHAIN), discount=DISCOUNT)
    apart, held, number = ~np.eye(SIDE**2, dtype=bool), [], 60
    for trial, empirical in enumerate(walked(number, 1500)):
        found = estimate_with_interval(
            empirical,
            jax.random.key(trial),
            discount=DISCOUNT,
            num_resamples=100,
            representation=representation,
        )
        assert bool(((found.low <= found.estimate) & (found.estimate <= found.high)).all())
        assert bool(found.trusted.all())
        held.append(np.asarray((found.low[0] <= truth) & (truth <= found.high[0]))[apart].mean())
    # Two points, and four standard errors over logs, within which pairs depend on each other.
    slack = 0.02 + 4 * np.std(held) / np.sqrt(number)
    assert abs(np.mean(held) - 0.95) < slack


def test_resampled_chains_are_those_of_the_resampled_frs():
    empirical = next(walked(1, 300))
    options = {"num_resamples": 5}
    chains = resample_chains(empirical, jax.random.key(1), **options)
    frs = resample_transitions(empirical, jax.random.key(1), discount=DISCOUNT, **options)
    np.testing.assert_allclose(first_occupancy.solve(chains, discount=DISCOUNT), frs, rtol=1e-6)
    np.testing.assert_allclose(chains.sum(axis=-1), 1)


def test_few_transitions_are_not_trusted():
    empirical = next(walked(1, 60))
    with pytest.warns(UntrustedWarning, match="of 256 estimates rest on too few transitions"):
        found = estimate_with_interval(
            empirical, jax.random.key(0), discount=DISCOUNT, num_resamples=50
        )
    seldom = np.asarray(empirical.visits[0]) < 10
    # What no resample changes is known, as that a state reaches itself.
    unsure = np.asarray(found.low[0] < found.high[0])
    assert unsure[seldom].any()
    assert not (np.asarray(found.trusted[0]) & unsure)[seldom].any()
    assert bool(((found.low <= found.estimate) & (found.estimate <= found.high)).all())
    np.testing.assert_array_equal(np.diag(found.low[0]), 1)


def test_a_shift_of_the_resampled_values_is_taken_off():
    rng = np.random.default_rng(0)
    estimate = jnp.full((1, 1, 1), 0.5)
    resampled = jnp.asarray(1 / (1 + np.exp(0.3 - 0.5 * rng.normal(size=(4000, 1, 1, 1)))))
    found = corrected_interval(estimate, resampled)
    plainly = interval(resampled)
    logit = lambda values: float(jnp.log(values / (1 - values))[0, 0, 0])  # noqa: E731
    assert logit(found.estimate) == pytest.approx(0.3, abs=0.03)
    assert logit(found.low) == pytest.approx(0.3 - 1.96 * 0.5, abs=0.05)
    assert logit(plainly.low) == pytest.approx(-0.3 - 1.96 * 0.5, abs=0.1)


def test_mistakes_are_named(error_of):
    ones = jnp.full((3, 1, 2, 2), 0.5)
    assert error_of(lambda: corrected_interval(ones[0], ones, level=1.0)) == (
        "corrected_interval: level must be between 0 and 1, got 1.0"
    )
    assert error_of(lambda: corrected_interval(ones[0], ones[:1])) == (
        "corrected_interval: needs at least 2 resamples, got 1"
    )
