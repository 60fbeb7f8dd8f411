"""Outcomes follow their probabilities, whatever rounding does to the sums."""

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy_paper.explorers.draws import outcome_at


def test_each_outcome_has_the_numbers_between_two_sums():
    sums = jnp.cumsum(jnp.array([0.2, 0.0, 0.5, 0.3]))
    numbers = np.linspace(0, 0.9999, 1000)
    drawn = np.asarray(jax.vmap(lambda number: outcome_at(sums, number))(numbers))
    np.testing.assert_allclose(
        np.bincount(drawn, minlength=4) / 1000, [0.2, 0, 0.5, 0.3], atol=2e-3
    )


def test_the_last_outcome_takes_what_rounding_leaves():
    assert int(outcome_at(jnp.array([0.5, 0.999]), 0.9995)) == 1
