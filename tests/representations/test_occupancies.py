"""Occupancies are their arrays, and what is known of them; what values mean, by adding up walks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core import MDP, rollouts, step
from first_occupancy.representations import (
    LambdaRepresentation,
    expected_returns,
    first_occupancy,
    successor,
)
from first_occupancy.representations.occupancies import Occupancies
from oracles import assert_mean_is, walks
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


def collect(states, worth_of_visit):
    """Return each walk's discounted sum, visit n to a state (from 0) worth `worth_of_visit(n)`."""
    totals = np.zeros(states.shape[:-1])
    counts = np.zeros((*states.shape[:-1], len(REWARD)), dtype=int)
    for time in range(states.shape[-1]):
        here = states[..., time, None]
        visits = np.take_along_axis(counts, here, axis=-1)[..., 0]
        totals += DISCOUNT**time * REWARD[here[..., 0]] * worth_of_visit(visits)
        np.put_along_axis(counts, here, visits[..., None] + 1, axis=-1)
    return totals


MEANINGS = {
    "once": (first_occupancy, lambda visits: visits == 0),
    "every time": (successor, lambda visits: 1.0),
    "diminishing": (LambdaRepresentation(0.5), lambda visits: 0.5**visits),
}


@pytest.mark.parametrize("meaning", MEANINGS)
def test_value_of_a_state_is_the_mean_of_what_walks_from_it_collect(meaning):
    representation, worth_of_visit = MEANINGS[meaning]
    chain = np.random.default_rng(0).dirichlet(np.ones(4), size=4)
    collected = collect(walks(chain, num_walks=2000, num_steps=80, seed=1), worth_of_visit)
    rep = representation.solve(jnp.asarray(chain), discount=DISCOUNT)
    assert_mean_is(collected, expected_returns(rep, jnp.asarray(REWARD)), axis=1)


@pytest.mark.parametrize("meaning", MEANINGS)
def test_value_of_a_pair_is_the_mean_of_what_walks_with_that_first_action_collect(meaning):
    representation, worth_of_visit = MEANINGS[meaning]
    rng = np.random.default_rng(1)
    world = MDP(rng.dirichlet(np.ones(4), size=(4, 2)))
    policy = jnp.asarray(rng.dirichlet(np.ones(2), size=4))
    pairs = representation.state_action.solve(world.transition, policy, discount=DISCOUNT)
    values = expected_returns(pairs, jnp.asarray(REWARD))
    for state, action in ((0, 0), (0, 1), (3, 1)):
        step_keys = jax.random.split(jax.random.key(10 * state + action), 2000)
        second = jax.vmap(lambda key, s=state, a=action: step(world, key, s, a)[0])(step_keys)
        rest = rollouts(world, jax.random.key(99), policy, second, num_steps=80).states
        states = np.concatenate([np.full((2000, 1), state), rest], axis=1)
        assert_mean_is(collect(states, worth_of_visit), values[state, action], axis=0)


def test_half_precision_is_summed_in_single():
    """In half, a thousand states of value 1/16 each would sum to 64, where adding 1/16 stops."""
    rep = jnp.full((3, 4096), 1 / 16, jnp.float16)
    values = expected_returns(rep, jnp.ones(4096, jnp.float16))
    assert values.dtype == jnp.float32
    np.testing.assert_array_equal(values, [256, 256, 256])
