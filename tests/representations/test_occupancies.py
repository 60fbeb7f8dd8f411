"""Occupancies are their arrays, and what is known of them."""

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.representations import expected_returns, first_occupancy
from first_occupancy.representations.occupancies import Occupancies
from saved_things import skills

DISCOUNT = 0.8
REWARD = np.array([1.0, -2.0, 0.5, 3.0])


def test_occupancies_are_worth_what_their_arrays_are():
    chains = jnp.stack([jnp.eye(4), jnp.roll(jnp.eye(4), 1, axis=1)])
    frs = first_occupancy.solve(chains, discount=DISCOUNT)
    worth = expected_returns(Occupancies(frs, discount=DISCOUNT), jnp.asarray(REWARD))
    np.testing.assert_array_equal(worth, expected_returns(frs, jnp.asarray(REWARD)))
    np.testing.assert_allclose(worth[0], REWARD)


@pytest.mark.usefixtures("as_users_run_it")
def test_a_decay_may_be_a_number_of_numpys_as_a_discount_may():
    between = fo.LambdaRepresentation(np.float32(0.25))
    kept = fo.Occupancies(np.eye(2)[None], discount=np.float32(0.5), representation=between)
    assert (kept.discount, kept.representation) == (0.5, fo.LambdaRepresentation(0.25))


def test_what_is_known_of_occupancies_follows_the_world():
    frs = skills()
    assert frs.policy_names == ("climb", "rest")
    np.testing.assert_array_equal(frs.values[0, 0], [1, 0.5, 0.25])
    between = skills(representation=fo.LambdaRepresentation(0.5))
    assert between.representation == fo.LambdaRepresentation(0.5)
    assert skills(representation=fo.successor).representation == fo.successor
