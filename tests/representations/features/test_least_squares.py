"""Least squares in single precision, against NumPy's in double: however much data there is."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.interop.data.logs import frs_from_log, transition_log
from first_occupancy.planning.feature_policies import fit_reward
from first_occupancy.representations.features import linear, maps
from first_occupancy.representations.features.least_squares import fit
from first_occupancy.representations.features.targets import FirstOccupancy


def test_features_seen_rarely_in_a_long_log_keep_their_weights():
    """A cutoff that grows with the rows would set weights to 0 that 500 observations determine."""
    chances = 10.0 ** -np.linspace(0, 3, 10)
    seen = np.random.default_rng(0).choice(10, 1_000_000, p=chances / chances.sum())
    with jax.enable_x64(False):
        rows, paid = np.eye(10, dtype=np.float32)[seen], (seen + 1).astype(np.float32)
        weights = fit_reward(jnp.asarray(rows), jnp.asarray(paid))
    assert weights.dtype == jnp.float32
    np.testing.assert_allclose(weights, np.arange(1, 11), rtol=1e-4)


def test_a_state_visited_very_often_does_not_hide_those_visited_once():
    walk = np.r_[np.zeros(100_000, int), np.arange(1, 40), 39]
    with jax.enable_x64(False):
        observations = jnp.asarray(walk[None, :, None], jnp.int32)
        target = FirstOccupancy(1.0)
        learned = linear.solve(target, observations, features=maps.one_hot(40), discount=0.9)
        log = transition_log(walk[:-1], walk[1:])
        frs = frs_from_log(log, discount=0.9).values[0]
    np.testing.assert_allclose(learned, frs, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("num_rows", [3, 40, 3000])
def test_weights_are_the_shortest_of_those_that_fit_best(seed, num_rows):
    """With a column of zeros, a repeated one, and one in other units, for few rows and many."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(num_rows, 6))
    rows[:, 2], rows[:, 4] = 0, rows[:, 3]
    targets = rng.normal(size=num_rows)
    weights = fit(jnp.asarray(rows), jnp.asarray(targets))
    expected = np.linalg.lstsq(rows, targets, rcond=1e-10)[0]
    np.testing.assert_allclose(weights, expected, rtol=1e-9, atol=1e-12)
    assert weights[2] == 0


def test_a_ridge_is_that_of_the_normal_equations():
    rng = np.random.default_rng(1)
    rows, targets = rng.normal(size=(500, 4)), rng.normal(size=500)
    weights = fit(jnp.asarray(rows), jnp.asarray(targets), 0.7)
    expected = np.linalg.solve(rows.T @ rows + 0.7 * np.eye(4), rows.T @ targets)
    np.testing.assert_allclose(weights, expected, rtol=1e-11)


def test_fits_can_be_mapped_over():
    rng = np.random.default_rng(2)
    rows, targets = rng.normal(size=(3, 300, 4)), rng.normal(size=(3, 300))
    each = [fit(jnp.asarray(a), jnp.asarray(b)) for a, b in zip(rows, targets, strict=True)]
    mapped = jax.vmap(fit)(jnp.asarray(rows), jnp.asarray(targets))
    np.testing.assert_allclose(mapped, jnp.stack(each), rtol=1e-12)
