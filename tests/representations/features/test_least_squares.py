"""Least squares against NumPy in float64, with exact ranks, in both precisions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.representations.features.least_squares import fit, root_visits, sum_of_products

PRECISIONS = pytest.mark.parametrize(("x64", "digits"), [(False, 2e-5), (True, 1e-12)])


def draws(rng, size, length):
    """Return states [length], some of them drawn ten thousand times as often as others."""
    chances = 10.0 ** -rng.uniform(0, 4, size)
    return rng.choice(size, length, p=chances / chances.sum())


def design(rng, kind, length):
    """Return rows whose dependent columns are known, and so is their rank."""
    states = np.eye(6)[draws(rng, 6, length)]
    if kind == "one-hot":
        return states
    if kind == "constant":
        return np.column_stack([states, np.ones(length)])
    if kind == "tilings":
        return np.column_stack([states, np.eye(4)[rng.integers(4, size=length)]])
    if kind == "multiples":
        return np.column_stack([states, 3 * states[:, 0], states[:, 1], np.zeros(length)])
    return rng.normal(size=(length, 5))


def shortest_fit(rows, targets):
    """Return the shortest least squares solution, from the distinct rows in float64.

    Each distinct row counts as often as it occurs. Its target is the mean of theirs.
    """
    distinct, which, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    means = np.bincount(which.ravel(), targets) / counts
    gram = distinct.T * counts @ distinct
    visits = np.where(np.diag(gram) > 0, np.sqrt(np.diag(gram)), 1)
    # Any solution of the normal equations, then the shortest by what the row space sees of it.
    balanced = np.linalg.pinv(gram / np.outer(visits, visits), rcond=1e-9, hermitian=True)
    weights = balanced @ ((distinct.T * counts @ means) / visits) / visits
    return np.linalg.pinv(distinct, rcond=1e-9) @ distinct @ weights


@PRECISIONS
@pytest.mark.parametrize("kind", ["one-hot", "constant", "tilings", "multiples", "dense"])
@pytest.mark.parametrize("length", [4, 200, 3000])
def test_the_fit_is_the_shortest_of_the_best(x64, digits, kind, length):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows = design(rng, kind, length).astype(np.float64 if x64 else np.float32)
        targets = (rows @ rng.normal(size=rows.shape[1])).astype(rows.dtype)
        with jax.enable_x64(x64):
            found = np.asarray(fit(jnp.asarray(rows), jnp.asarray(targets)))
            with_ridge = np.asarray(fit(jnp.asarray(rows), jnp.asarray(targets), 0.1))
        expected = shortest_fit(rows.astype(np.float64), targets.astype(np.float64))
        np.testing.assert_allclose(found, expected, rtol=0, atol=digits * abs(expected).max())
        for weights in (found, with_ridge):
            np.testing.assert_array_equal(weights[~rows.any(axis=0)], 0)


def test_a_row_seen_once_among_millions_counts():
    with jax.enable_x64(False):
        # Squares of features add up as repetitions do, without the rows.
        rows = jnp.diag(jnp.sqrt(jnp.array([9e6, 1.0, 30.0]))).at[1, 0].set(1.0)
        found = fit(rows, rows @ jnp.array([1.0, 5.0, -2.0]))
        np.testing.assert_allclose(found, [1, 5, -2], rtol=1e-3)


@PRECISIONS
def test_it_can_be_mapped_over_rows_and_targets(x64, digits):
    with jax.enable_x64(x64):
        rng = np.random.default_rng(0)
        rows, targets = jnp.asarray(rng.normal(size=(3, 600, 4))), jnp.asarray(rng.random((3, 600)))
        both = jax.jit(jax.vmap(fit))(rows, targets)
        several_targets = jax.vmap(fit, (None, 0))(rows[0], targets)
        for number in range(3):
            alone = fit(rows[number], targets[number])
            np.testing.assert_allclose(both[number], alone, rtol=10 * digits)
            alone = fit(rows[0], targets[number])
            np.testing.assert_allclose(several_targets[number], alone, rtol=10 * digits)


def test_it_can_be_differentiated():
    rng = np.random.default_rng(1)
    rows, targets = jnp.asarray(rng.normal(size=(600, 3))), jnp.asarray(rng.normal(size=600))
    direction = jnp.asarray(rng.normal(size=(600, 3)))

    def first_weight(rows):
        return fit(rows, targets, 0.1)[0]

    step = 1e-5
    ahead, behind = first_weight(rows + step * direction), first_weight(rows - step * direction)
    forwards = jax.jvp(first_weight, (rows,), (direction,))[1]
    np.testing.assert_allclose(forwards, (ahead - behind) / (2 * step), rtol=1e-6)
    backwards = (jax.grad(first_weight)(rows) * direction).sum()
    np.testing.assert_allclose(backwards, forwards, rtol=1e-9)


def test_float32_sums_go_on_beyond_two_to_the_24():
    with jax.enable_x64(False):
        # The squares of the first rows add up to 2^24, to which one by one nothing would be added.
        rows = jnp.ones((2**12 + 2**16, 2), jnp.float32).at[: 2**12].set(64)
        expected = 2**24 + 2**16
        np.testing.assert_allclose(sum_of_products(rows, rows), expected, rtol=1e-6)
        np.testing.assert_allclose(root_visits(rows), np.sqrt(expected) / 64, rtol=1e-6)
