"""Planning for one asking state against FRP, which plans for all."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.planning import frp
from first_occupancy_paper.experiments.escape.replanning import (
    legs_from,
    legs_of,
    log_discounts,
    policy_towards,
)

GOAL = 7


def half_learned():
    """Return FRs [S N S], mostly zeros, with a state that leads nowhere."""
    draws = np.random.default_rng(0).uniform(size=(12, 3, 12))
    known = np.where(draws > 0.85, draws - 0.5, 0)
    known[5] = 0
    return jnp.asarray(np.maximum(known, np.eye(12)[:, None, :]))


def test_the_asking_state_is_told_a_policy_of_frps_best_plan():
    frs = half_learned()
    plan = frp.plan_to_goal(jnp.swapaxes(frs, 0, 1), GOAL)
    assert not bool(plan.reachable.all())
    reachable, discounts = np.asarray(plan.reachable), np.asarray(plan.log_promised)
    legs = legs_of(frs)
    answer, search = jax.jit(policy_towards), jax.jit(log_discounts)
    for state in set(range(12)) - {GOAL}:
        policy = int(answer(legs, frs[state], GOAL, state))
        assert (policy >= 0) == reachable[state]
        nearer = np.asarray(search(legs, GOAL, state))
        settled = nearer > -np.inf
        np.testing.assert_allclose(nearer[settled], discounts[settled], rtol=1e-5)
        if policy >= 0:
            others = np.arange(12) != state
            follow = np.maximum(np.asarray(frs)[state, policy], 1e-300)
            through = (np.log(follow) + discounts)[others].max()
            assert through == pytest.approx(discounts[state], rel=1e-5)


def test_legs_are_those_of_the_fold_and_follow_when_one_row_is_learned():
    frs = half_learned()
    legs = legs_of(frs)
    np.testing.assert_array_equal(legs, frp.best_legs(jnp.swapaxes(frs, 0, 1)).legs[:12])
    learned = frs.at[5, 1, GOAL].set(0.5)
    legs = legs.at[:, 5].set(legs_from(learned[5], jnp.array(5)))
    np.testing.assert_array_equal(legs, legs_of(learned))
    assert int(policy_towards(legs, learned[5], GOAL, 5)) == 1


def test_numbers_that_are_none_do_not_make_the_search_endless():
    legs = legs_of(half_learned()).at[2, 9].set(jnp.nan)
    for state in range(12):
        assert jax.jit(log_discounts)(legs, GOAL, state).shape == (12,)


def test_goals_may_be_shorter_numbers_than_argmax_returns():
    legs = legs_of(half_learned())
    found = jax.jit(log_discounts)(legs, np.int32(GOAL), 3)
    np.testing.assert_array_equal(found, log_discounts(legs, GOAL, 3))


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_legs_of_half_precision_frs_are_in_single(dtype):
    frs = half_learned().astype(dtype)
    legs = legs_of(frs)
    assert legs.dtype == jnp.float32
    np.testing.assert_array_equal(legs, legs_of(frs.astype(jnp.float32)))
